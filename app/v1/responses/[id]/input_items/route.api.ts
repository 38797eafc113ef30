import { preflight } from '@/server/base/http/cors';
import { respond } from '@/server/base/http/respond';
import { listInputItems } from '@/server/gateway/run/stored-responses';

type Context = { params: Promise<{ id: string }> };

export const GET = (request: Request, context: Context): Promise<Response> =>
  respond('chat', async () => listInputItems(request, (await context.params).id));

export const OPTIONS = preflight;
