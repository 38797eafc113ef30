import { requireReceipt } from '@/server/api/receipt';
import { preflight } from '@/server/base/http/cors';
import { privateJson, respond } from '@/server/base/http/respond';
import { requireUserKey } from '@/server/people/access/authenticate';

type Context = { params: Promise<{ id: string }> };

export const GET = (request: Request, context: Context): Promise<Response> =>
  respond('chat', async () => {
    const caller = await requireUserKey(request);
    return privateJson(await requireReceipt(caller, (await context.params).id));
  });

export const OPTIONS = preflight;
