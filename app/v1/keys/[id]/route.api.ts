import { ApiError } from '@/server/base/errors';
import { preflight } from '@/server/base/http/cors';
import { privateJson, respond } from '@/server/base/http/respond';
import { requireUserKey } from '@/server/people/access/authenticate';
import { revokeBranch } from '@/server/people/keys/run-keys';

type Context = { params: Promise<{ id: string }> };

export const DELETE = (request: Request, context: Context): Promise<Response> =>
  respond('chat', async () => {
    const caller = await requireUserKey(request);
    const { id } = await context.params;
    if (!(await revokeBranch(caller, id)))
      throw new ApiError('not_found', 'This key is neither live nor below the key of the request.');
    return privateJson({ key_id: id, revoked: true });
  });

export const OPTIONS = preflight;
