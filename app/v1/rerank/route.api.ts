import { preflight } from '@/server/base/http/cors';
import { directRoute } from '@/server/base/http/direct-route';
import { rerankProtocol } from '@/server/gateway/protocols/rerank/protocol';
import { generate } from '@/server/gateway/run/generate';

export const POST = directRoute('chat', '/v1/rerank', (request, requestId) =>
  generate(request, requestId, rerankProtocol),
);

export const OPTIONS = preflight;
