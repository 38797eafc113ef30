import { creditsToJson } from '@/server/credits';
import { preflight } from '@/server/http/cors';
import { privateJson, respond } from '@/server/http/respond';
import { requireUserKey } from '@/server/keys/authenticate';
import { minimumBalance, readSpendable } from '@/server/ledger';

export const GET = (request: Request): Promise<Response> =>
  respond('chat', async () => {
    const { userId, partnerId } = await requireUserKey(request);
    const { balance, status } = await readSpendable(userId, partnerId);
    return privateJson({
      balance: creditsToJson(balance),
      currency: 'credits',
      minimum_required: creditsToJson(minimumBalance()),
      status,
    });
  });

export const OPTIONS = preflight;
