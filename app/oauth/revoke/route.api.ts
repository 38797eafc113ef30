import { refuseClientSecret, revocationSchema } from '@/server/api/oauth';
import { readClientIp } from '@/server/base/http/client-ip';
import { preflight } from '@/server/base/http/cors';
import { validate } from '@/server/base/http/read-body';
import { readFields } from '@/server/base/http/read-fields';
import { privateJson, respond } from '@/server/base/http/respond';
import { findUserKeyHashes } from '@/server/base/tokens';
import { requireRoomForRevocation, revokeHeldKey } from '@/server/people/leaked-keys';

/** Revokes a user key (RFC 7009). The response is the same if there is no such key. */
export function POST(request: Request): Promise<Response> {
  return respond('oauth', async () => {
    refuseClientSecret(request);
    await requireRoomForRevocation(readClientIp(request));
    const { token } = validate(revocationSchema, await readFields(request));
    await revokeHeldKey(findUserKeyHashes(token));
    return privateJson({});
  });
}

export const OPTIONS = preflight;
