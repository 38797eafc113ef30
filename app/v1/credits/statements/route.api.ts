import { statementsQuerySchema, writeStatementList } from '@/server/api/statements';
import { requireUserKey } from '@/server/http/authenticate';
import { preflight } from '@/server/http/cors';
import { validate } from '@/server/http/read-body';
import { privateJson, respond } from '@/server/http/respond';
import { listStatements } from '@/server/statements/read-statements';

export const GET = (request: Request): Promise<Response> =>
  respond('chat', async () => {
    const { userId, partnerId } = await requireUserKey(request);
    const query = Object.fromEntries(new URL(request.url).searchParams);
    const { limit, before = null } = validate(statementsQuerySchema, query);
    return privateJson(writeStatementList(await listStatements({ userId, partnerId }, { limit, before })));
  });

export const OPTIONS = preflight;
