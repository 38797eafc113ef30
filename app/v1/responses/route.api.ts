import { preflight } from '@/server/base/http/cors';
import { directRoute } from '@/server/base/http/direct-route';
import { responsesProtocol } from '@/server/gateway/protocols/responses/protocol';
import { generate } from '@/server/gateway/run/generate';
import { keptResponses } from '@/server/gateway/run/kept-responses';

export const POST = directRoute('chat', '/v1/responses', (request, requestId) =>
  generate(request, requestId, responsesProtocol, { kept: keptResponses }),
);

export const OPTIONS = preflight;
