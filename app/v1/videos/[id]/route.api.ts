import { preflight } from '@/server/base/http/cors';
import { respond } from '@/server/base/http/respond';
import { deleteVideo, sendVideo } from '@/server/gateway/run/videos/read-videos';

type Context = { params: Promise<{ id: string }> };

export const GET = (request: Request, context: Context): Promise<Response> =>
  respond('chat', async () => sendVideo(request, (await context.params).id));

export const DELETE = (request: Request, context: Context): Promise<Response> =>
  respond('chat', async () => deleteVideo(request, (await context.params).id));

export const OPTIONS = preflight;
