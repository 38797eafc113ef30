import { preflight } from '@/server/base/http/cors';
import { directRoute } from '@/server/base/http/direct-route';
import { translationsProtocol } from '@/server/gateway/protocols/transcriptions/protocol';
import { generate } from '@/server/gateway/run/generate';

export const POST = directRoute('chat', '/v1/audio/translations', (request, requestId) =>
  generate(request, requestId, translationsProtocol),
);

export const OPTIONS = preflight;
