import { deviceRequestSchema, refuseClientSecret, writeDeviceAuthorization } from '@/server/api/oauth';
import { readClientIp } from '@/server/base/http/client-ip';
import { preflight } from '@/server/base/http/cors';
import { validate } from '@/server/base/http/read-body';
import { readFields } from '@/server/base/http/read-fields';
import { privateJson, respond } from '@/server/base/http/respond';
import { startDeviceAuthorization } from '@/server/people/device-authorization';

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
