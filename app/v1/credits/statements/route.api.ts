import { statementsQuerySchema, writeStatementList } from '@/server/api/statements';
import { preflight } from '@/server/base/http/cors';
import { validate } from '@/server/base/http/read-body';
import { privateJson, respond } from '@/server/base/http/respond';
import { requireOrdinaryKey } from '@/server/people/access/authenticate';
import { listStatements } from '@/server/reports/statements/read-statements';

export const GET = (request: Request): Promise<Response> =>
  respond('chat', async () => {
    const { userId, partnerId } = await requireOrdinaryKey(request);
    const query = Object.fromEntries(new URL(request.url).searchParams);
    const { limit, before = null } = validate(statementsQuerySchema, query);
    return privateJson(writeStatementList(await listStatements({ userId, partnerId }, { limit, before })));
  });

export const OPTIONS = preflight;
