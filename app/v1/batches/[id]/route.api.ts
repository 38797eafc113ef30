import { preflight } from '@/server/base/http/cors';
import { respond } from '@/server/base/http/respond';
import { sendBatch } from '@/server/gateway/run/batches/read-batches';

type Context = { params: Promise<{ id: string }> };

export const GET = (request: Request, context: Context): Promise<Response> =>
  respond('chat', async () => sendBatch(request, (await context.params).id, 'openai'));

export const OPTIONS = preflight;
