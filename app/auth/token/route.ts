import { tokenRequestSchema, writeTokenResponse } from '@/server/api/sign-in';
import { preflight } from '@/server/http/cors';
import { readBearer } from '@/server/http/credentials';
import { parseJsonObject, readText, validate } from '@/server/http/read-body';
import { SMALL_BODY_BYTES } from '@/server/http/receive-body';
import { privateJson, respond } from '@/server/http/respond';
import { exchangeSignInToken } from '@/server/identity/sign-in-tokens';

export function POST(request: Request): Promise<Response> {
  return respond('chat', async () => {
    const body = validate(tokenRequestSchema, await readFields(request));
    const signedIn = await exchangeSignInToken({
      publishableKey: body.publishable_key,
      token: body.token,
      codeVerifier: body.code_verifier,
      origin: request.headers.get('origin'),
      metadata: body.metadata,
      heldKey: readBearer(request),
    });
    return privateJson(writeTokenResponse(signedIn));
  });
}

/** Accepts JSON, or a form whose `metadata` field holds JSON. Detected from the body, because curl labels JSON as a form. */
async function readFields(request: Request): Promise<Record<string, unknown>> {
  const text = await readText(request, SMALL_BODY_BYTES);
  const isForm = /^application\/x-www-form-urlencoded\b/i.test(request.headers.get('content-type') ?? '');
  if (!isForm || text.trimStart().startsWith('{')) return parseJsonObject(text);
  const fields: Record<string, unknown> = Object.fromEntries(new URLSearchParams(text));
  return typeof fields.metadata === 'string'
    ? { ...fields, metadata: parseJsonObject(fields.metadata) }
    : fields;
}

export const OPTIONS = preflight;
