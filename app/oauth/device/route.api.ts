import { deviceRequestSchema, refuseClientSecret, writeDeviceAuthorization } from '@/server/api/oauth';
import { readClientIp } from '@/server/http/client-ip';
import { preflight } from '@/server/http/cors';
import { validate } from '@/server/http/read-body';
import { readFields } from '@/server/http/read-fields';
import { privateJson, respond } from '@/server/http/respond';
import { startDeviceAuthorization } from '@/server/identity/device-authorization';

/** Where a program without a browser begins a sign-in (RFC 8628). */
export function POST(request: Request): Promise<Response> {
  return respond('oauth', async () => {
    refuseClientSecret(request);
    const { client_id } = validate(deviceRequestSchema, await readFields(request));
    const started = await startDeviceAuthorization({
      publishableKey: client_id,
      clientIp: readClientIp(request),
      origin: request.headers.get('origin'),
    });
    return privateJson(writeDeviceAuthorization(started));
  });
}

export const OPTIONS = preflight;
