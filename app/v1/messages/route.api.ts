import { generate } from '@/server/generation/generate';
import { preflight } from '@/server/http/cors';
import { directRoute } from '@/server/http/direct-route';
import { messagesProtocol } from '@/server/protocols/messages/protocol';

export const POST = directRoute('messages', '/v1/messages', (request, requestId) =>
  generate(request, requestId, messagesProtocol),
);

export const OPTIONS = preflight;
