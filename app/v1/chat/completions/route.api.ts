import { generate } from '@/server/generation/generate';
import { preflight } from '@/server/http/cors';
import { directRoute } from '@/server/http/direct-route';
import { chatProtocol } from '@/server/protocols/chat/protocol';

export const POST = directRoute('chat', '/v1/chat/completions', (request, requestId) =>
  generate(request, requestId, chatProtocol),
);

export const OPTIONS = preflight;
