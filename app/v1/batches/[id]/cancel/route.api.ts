import { preflight } from '@/server/base/http/cors';
import { respond } from '@/server/base/http/respond';
import { cancelBatch } from '@/server/gateway/run/batches/read-batches';

type Context = { params: Promise<{ id: string }> };

export const POST = (request: Request, context: Context): Promise<Response> =>
  respond('chat', async () => cancelBatch(request, (await context.params).id, 'openai'));

export const OPTIONS = preflight;
