import { listInputItems } from '@/server/generation/stored-responses';
import { preflight } from '@/server/http/cors';
import { respond } from '@/server/http/respond';

type Context = { params: Promise<{ id: string }> };

export const GET = (request: Request, context: Context): Promise<Response> =>
  respond('chat', async () => listInputItems(request, (await context.params).id));

export const OPTIONS = preflight;
