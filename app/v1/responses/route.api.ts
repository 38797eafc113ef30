import { generate } from '@/server/generation/generate';
import { keptResponses } from '@/server/generation/kept-responses';
import { preflight } from '@/server/http/cors';
import { directRoute } from '@/server/http/direct-route';
import { responsesProtocol } from '@/server/protocols/responses/protocol';

export const POST = directRoute('chat', '/v1/responses', (request, requestId) =>
  generate(request, requestId, responsesProtocol, keptResponses),
);

export const OPTIONS = preflight;
