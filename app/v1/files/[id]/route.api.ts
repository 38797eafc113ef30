import { preflight } from '@/server/base/http/cors';
import { respond } from '@/server/base/http/respond';
import { deleteStoredFile, sendFile } from '@/server/gateway/run/batches/files';

type Context = { params: Promise<{ id: string }> };

export const GET = (request: Request, context: Context): Promise<Response> =>
  respond('chat', async () => sendFile(request, (await context.params).id));

export const DELETE = (request: Request, context: Context): Promise<Response> =>
  respond('chat', async () => deleteStoredFile(request, (await context.params).id));

export const OPTIONS = preflight;
