import { generate } from '@/server/generation/generate';
import { preflight } from '@/server/http/cors';
import { respond } from '@/server/http/respond';
import { chatProtocol } from '@/server/protocols/chat/protocol';

export const POST = (request: Request): Promise<Response> =>
  respond('chat', (requestId) => generate(request, requestId, chatProtocol));

export const OPTIONS = preflight;
