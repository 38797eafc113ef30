import { writeBalance } from '@/server/api/balance';
import { preflight } from '@/server/base/http/cors';
import { privateJson, respond } from '@/server/base/http/respond';
import { minimumBalance, readSpendable } from '@/server/ledger';
import { requireUserKey } from '@/server/people/access/authenticate';
import { readRunKey } from '@/server/people/keys/run-keys';

export const GET = (request: Request): Promise<Response> =>
  respond('chat', async () => {
    const caller = await requireUserKey(request);
    const spendable = await readSpendable(caller.userId, caller.partnerId);
    return privateJson(writeBalance(spendable, minimumBalance(), await readRunKey(caller)));
  });

export const OPTIONS = preflight;
