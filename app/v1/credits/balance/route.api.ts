import { writeBalance } from '@/server/api/balance';
import { requireUserKey } from '@/server/http/authenticate';
import { preflight } from '@/server/http/cors';
import { privateJson, respond } from '@/server/http/respond';
import { minimumBalance, readSpendable } from '@/server/ledger';

export const GET = (request: Request): Promise<Response> =>
  respond('chat', async () => {
    const { userId, partnerId } = await requireUserKey(request);
    return privateJson(writeBalance(await readSpendable(userId, partnerId), minimumBalance()));
  });

export const OPTIONS = preflight;
