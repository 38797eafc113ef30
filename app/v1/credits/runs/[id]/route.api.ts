import { writeRun } from '@/server/api/run-keys';
import { ApiError } from '@/server/base/errors';
import { preflight } from '@/server/base/http/cors';
import { privateJson, respond } from '@/server/base/http/respond';
import { readRun } from '@/server/ledger';
import { requireUserKey } from '@/server/people/access/authenticate';

type Context = { params: Promise<{ id: string }> };

export const GET = (request: Request, context: Context): Promise<Response> =>
  respond('chat', async () => {
    const caller = await requireUserKey(request);
    const { id } = await context.params;
    const run = await readRun(caller, id);
    if (run === null)
      throw new ApiError('not_found', 'No request of this run was admitted for this user in this app.');
    return privateJson(writeRun(id, run));
  });

export const OPTIONS = preflight;
