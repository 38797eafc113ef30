import { historyQuerySchema, writeHistoryPage } from '@/server/api/history';
import { requireUserKey } from '@/server/http/authenticate';
import { preflight } from '@/server/http/cors';
import { validate } from '@/server/http/read-body';
import { privateJson, respond } from '@/server/http/respond';
import { readHistory } from '@/server/ledger';

export const GET = (request: Request): Promise<Response> =>
  respond('chat', async () => {
    const { userId, partnerId } = await requireUserKey(request);
    const page = validate(historyQuerySchema, Object.fromEntries(new URL(request.url).searchParams));
    return privateJson(writeHistoryPage(await readHistory({ userId, partnerId }, page), page));
  });

export const OPTIONS = preflight;
