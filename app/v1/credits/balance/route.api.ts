import { writeBalance } from '@/server/api/balance';
import { preflight } from '@/server/base/http/cors';
import { privateJson, respond } from '@/server/base/http/respond';
import { minimumBalance, readSpendable } from '@/server/ledger';
import { requireUserKey } from '@/server/people/access/authenticate';

export const GET = (request: Request): Promise<Response> =>
  respond('chat', async () => {
    const { userId, partnerId } = await requireUserKey(request);
    return privateJson(writeBalance(await readSpendable(userId, partnerId), minimumBalance()));
  });

export const OPTIONS = preflight;
