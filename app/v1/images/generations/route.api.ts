import { preflight } from '@/server/base/http/cors';
import { directRoute } from '@/server/base/http/direct-route';
import { imagesProtocol } from '@/server/gateway/protocols/images/protocol';
import { generate } from '@/server/gateway/run/generate';

export const POST = directRoute('chat', '/v1/images/generations', (request, requestId) =>
  generate(request, requestId, imagesProtocol),
);

export const OPTIONS = preflight;
