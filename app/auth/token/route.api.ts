import { tokenRequestSchema, writeTokenResponse } from '@/server/api/sign-in';
import { preflight } from '@/server/http/cors';
import { readBearer } from '@/server/http/credentials';
import { validate } from '@/server/http/read-body';
import { readFields } from '@/server/http/read-fields';
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

export const OPTIONS = preflight;
