import { preflight } from '@/server/base/http/cors';
import { directRoute } from '@/server/base/http/direct-route';
import { ocrProtocol } from '@/server/gateway/protocols/ocr/protocol';
import { generate } from '@/server/gateway/run/generate';

export const POST = directRoute('chat', '/v1/ocr', (request, requestId) =>
  generate(request, requestId, ocrProtocol),
);

export const OPTIONS = preflight;
