import { preflight } from '@/server/base/http/cors';
import { respond } from '@/server/base/http/respond';
import { deleteKeptResponse, sendKeptResponse } from '@/server/gateway/run/stored-responses';

type Context = { params: Promise<{ id: string }> };

export const GET = (request: Request, context: Context): Promise<Response> =>
  respond('chat', async () => sendKeptResponse(request, (await context.params).id));

export const DELETE = (request: Request, context: Context): Promise<Response> =>
  respond('chat', async () => deleteKeptResponse(request, (await context.params).id));

export const OPTIONS = preflight;
