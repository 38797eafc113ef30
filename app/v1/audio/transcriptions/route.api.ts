import { preflight } from '@/server/base/http/cors';
import { directRoute } from '@/server/base/http/direct-route';
import { transcriptionsProtocol } from '@/server/gateway/protocols/transcriptions/protocol';
import { generate } from '@/server/gateway/run/generate';

export const POST = directRoute('chat', '/v1/audio/transcriptions', (request, requestId) =>
  generate(request, requestId, transcriptionsProtocol),
);

export const OPTIONS = preflight;
