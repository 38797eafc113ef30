import { refuseClientSecret, revocationSchema } from '@/server/api/oauth';
import { readClientIp } from '@/server/http/client-ip';
import { preflight } from '@/server/http/cors';
import { validate } from '@/server/http/read-body';
import { readFields } from '@/server/http/read-fields';
import { privateJson, respond } from '@/server/http/respond';
import { requireRoomForRevocation, revokeHeldKey } from '@/server/identity/leaked-keys';
import { findUserKeyHashes } from '@/server/tokens';

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
