import { generate } from '@/server/generation/generate';
import { preflight } from '@/server/http/cors';
import { directRoute } from '@/server/http/direct-route';
import { embeddingsProtocol } from '@/server/protocols/embeddings/protocol';

export const POST = directRoute('chat', '/v1/embeddings', (request, requestId) =>
  generate(request, requestId, embeddingsProtocol),
);

export const OPTIONS = preflight;
