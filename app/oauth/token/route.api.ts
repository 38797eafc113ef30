import {
  DEVICE_GRANT,
  deviceWait,
  readOauthTokenRequest,
  refuseClientSecret,
  writeAccessToken,
} from '@/server/api/oauth';
import { preflight } from '@/server/base/http/cors';
import { readFields } from '@/server/base/http/read-fields';
import { privateJson, respond } from '@/server/base/http/respond';
import { pollDeviceCode } from '@/server/people/device-authorization';
import { exchangeSignInToken } from '@/server/people/sign-in-tokens';

/** The token endpoint for OAuth clients. The access token is the user key. */
export function POST(request: Request): Promise<Response> {
  return respond('oauth', async () => {
    refuseClientSecret(request);
    const body = readOauthTokenRequest(await readFields(request));
    if (body.grant_type === DEVICE_GRANT) {
      const polled = await pollDeviceCode({
        publishableKey: body.client_id,
        deviceCode: body.device_code,
        userAgent: request.headers.get('user-agent') ?? '',
      });
      if (typeof polled === 'string') throw deviceWait(polled);
      return privateJson(writeAccessToken(polled));
    }
    const signedIn = await exchangeSignInToken({
      publishableKey: body.client_id,
      token: body.code,
      codeVerifier: body.code_verifier,
      redirectUri: body.redirect_uri,
      origin: request.headers.get('origin'),
    });
    return privateJson(writeAccessToken(signedIn));
  });
}

export const OPTIONS = preflight;
