import { historyQuerySchema, writeHistoryPage } from '@/server/api/history';
import { preflight } from '@/server/base/http/cors';
import { validate } from '@/server/base/http/read-body';
import { privateJson, respond } from '@/server/base/http/respond';
import { readHistory } from '@/server/ledger';
import { requireUserKey } from '@/server/people/access/authenticate';
import { readBranch } from '@/server/people/keys/run-keys';

export const GET = (request: Request): Promise<Response> =>
  respond('chat', async () => {
    const caller = await requireUserKey(request);
    const page = validate(historyQuerySchema, Object.fromEntries(new URL(request.url).searchParams));
    return privateJson(writeHistoryPage(await readHistory(caller, page, await readBranch(caller)), page));
  });

export const OPTIONS = preflight;
