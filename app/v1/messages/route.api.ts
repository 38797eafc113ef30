import { preflight } from '@/server/base/http/cors';
import { directRoute } from '@/server/base/http/direct-route';
import { messagesProtocol } from '@/server/gateway/protocols/messages/protocol';
import { generate } from '@/server/gateway/run/generate';

export const POST = directRoute('messages', '/v1/messages', (request, requestId) =>
  generate(request, requestId, messagesProtocol),
);

export const OPTIONS = preflight;
