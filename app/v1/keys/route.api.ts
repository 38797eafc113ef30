import { runKeyRequestSchema, writeRunKey } from '@/server/api/run-keys';
import { preflight } from '@/server/base/http/cors';
import { requireUserKeyHash } from '@/server/base/http/credentials';
import { readBody } from '@/server/base/http/read-body';
import { privateJson, respond } from '@/server/base/http/respond';
import { takeKeyTurn } from '@/server/base/rate-limit/key-turns';
import { findLimitRefusal } from '@/server/gateway/run/key-limit';
import { requireUserKey } from '@/server/people/access/authenticate';
import { mintRunKey } from '@/server/people/keys/run-keys';

export function POST(request: Request): Promise<Response> {
  return respond('chat', async () => {
    const keyHash = requireUserKeyHash(request);
    const waitMs = takeKeyTurn(keyHash);
    if (waitMs > 0) throw await findLimitRefusal(request, keyHash, waitMs);
    const caller = await requireUserKey(request);
    const { expires_in: expiresInSeconds, ...rest } = await readBody(request, runKeyRequestSchema);
    return privateJson(writeRunKey(await mintRunKey(caller, { expiresInSeconds, ...rest })));
  });
}

export const OPTIONS = preflight;
