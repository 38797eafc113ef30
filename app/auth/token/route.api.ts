import { tokenRequestSchema, writeTokenResponse } from '@/server/api/sign-in';
import { preflight } from '@/server/base/http/cors';
import { readBearer } from '@/server/base/http/credentials';
import { validate } from '@/server/base/http/read-body';
import { readFields } from '@/server/base/http/read-fields';
import { privateJson, respond } from '@/server/base/http/respond';
import { exchangeSignInToken } from '@/server/people/sign-in-tokens';

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
