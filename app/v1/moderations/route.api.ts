import { preflight } from '@/server/base/http/cors';
import { directRoute } from '@/server/base/http/direct-route';
import { moderationsProtocol } from '@/server/gateway/protocols/moderations/protocol';
import { generate } from '@/server/gateway/run/generate';

export const POST = directRoute('chat', '/v1/moderations', (request, requestId) =>
  generate(request, requestId, moderationsProtocol),
);

export const OPTIONS = preflight;
