import { preflight } from '@/server/base/http/cors';
import { directRoute } from '@/server/base/http/direct-route';
import { embeddingsProtocol } from '@/server/gateway/protocols/embeddings/protocol';
import { generate } from '@/server/gateway/run/generate';

export const POST = directRoute('chat', '/v1/embeddings', (request, requestId) =>
  generate(request, requestId, embeddingsProtocol),
);

export const OPTIONS = preflight;
