import { preflight } from '@/server/base/http/cors';
import { directRoute } from '@/server/base/http/direct-route';
import { speechProtocol } from '@/server/gateway/protocols/speech/protocol';
import { generate } from '@/server/gateway/run/generate';

export const POST = directRoute('chat', '/v1/audio/speech', (request, requestId) =>
  generate(request, requestId, speechProtocol),
);

export const OPTIONS = preflight;
