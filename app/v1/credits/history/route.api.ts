import { historyQuerySchema, readHistoryPage } from '@/server/api/history';
import { preflight } from '@/server/base/http/cors';
import { validate } from '@/server/base/http/read-body';
import { privateJson, respond } from '@/server/base/http/respond';
import { requireUserKey } from '@/server/people/access/authenticate';

export const GET = (request: Request): Promise<Response> =>
  respond('chat', async () => {
    const caller = await requireUserKey(request);
    const page = validate(historyQuerySchema, Object.fromEntries(new URL(request.url).searchParams));
    return privateJson(await readHistoryPage(caller, page));
  });

export const OPTIONS = preflight;
