import { readClientIp } from '@/server/http/client-ip';
import { preflight } from '@/server/http/cors';
import { invalidUserKey, requireUserKeyHashes } from '@/server/http/credentials';
import { privateJson, respond } from '@/server/http/respond';
import { requireRoomForRevocation, revokeHeldKey } from '@/server/identity/leaked-keys';

export function POST(request: Request): Promise<Response> {
  return respond('chat', async () => {
    await requireRoomForRevocation(readClientIp(request));
    const keyId = await revokeHeldKey(requireUserKeyHashes(request));
    if (keyId === null) throw invalidUserKey();
    return privateJson({ key_id: keyId, revoked: true });
  });
}

export const OPTIONS = preflight;
