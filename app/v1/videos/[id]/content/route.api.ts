import { preflight } from '@/server/base/http/cors';
import { respond } from '@/server/base/http/respond';
import { sendVideoContent } from '@/server/gateway/run/videos/read-videos';

type Context = { params: Promise<{ id: string }> };

export const GET = (request: Request, context: Context): Promise<Response> =>
  respond('chat', async () => sendVideoContent(request, (await context.params).id));

export const OPTIONS = preflight;
