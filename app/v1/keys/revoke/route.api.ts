import { readClientIp } from '@/server/base/http/client-ip';
import { preflight } from '@/server/base/http/cors';
import { invalidUserKey, requireUserKeyHashes } from '@/server/base/http/credentials';
import { privateJson, respond } from '@/server/base/http/respond';
import { requireRoomForRevocation, revokeHeldKey } from '@/server/people/leaked-keys';

export function POST(request: Request): Promise<Response> {
  return respond('chat', async () => {
    await requireRoomForRevocation(readClientIp(request));
    const keyId = await revokeHeldKey(requireUserKeyHashes(request));
    if (keyId === null) throw invalidUserKey();
    return privateJson({ key_id: keyId, revoked: true });
  });
}

export const OPTIONS = preflight;
