import { preflight } from '@/server/base/http/cors';
import { directRoute } from '@/server/base/http/direct-route';
import { chatProtocol } from '@/server/gateway/protocols/chat/protocol';
import { generate } from '@/server/gateway/run/generate';

export const POST = directRoute('chat', '/v1/chat/completions', (request, requestId) =>
  generate(request, requestId, chatProtocol),
);

export const OPTIONS = preflight;
