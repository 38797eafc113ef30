import { preflight } from '@/server/base/http/cors';
import { respond } from '@/server/base/http/respond';
import { sendMessageResults } from '@/server/gateway/run/batches/read-batches';

type Context = { params: Promise<{ id: string }> };

export const GET = (request: Request, context: Context): Promise<Response> =>
  respond('messages', async () => sendMessageResults(request, (await context.params).id));

export const OPTIONS = preflight;
