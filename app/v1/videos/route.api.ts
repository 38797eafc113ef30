import { preflight } from '@/server/base/http/cors';
import { directRoute } from '@/server/base/http/direct-route';
import { respond } from '@/server/base/http/respond';
import { videosProtocol } from '@/server/gateway/protocols/videos/protocol';
import { generate } from '@/server/gateway/run/generate';
import { listVideos } from '@/server/gateway/run/videos/read-videos';
import { startVideo } from '@/server/gateway/run/videos/start-video';

export const POST = directRoute('chat', '/v1/videos', (request, requestId) =>
  generate(request, requestId, videosProtocol, { startJob: startVideo }),
);

export const GET = (request: Request): Promise<Response> => respond('chat', () => listVideos(request));

export const OPTIONS = preflight;
