import { generate } from '@/server/generation/generate';
import { preflight } from '@/server/http/cors';
import { respond } from '@/server/http/respond';
import { messagesProtocol } from '@/server/protocols/messages/protocol';

export const POST = (request: Request): Promise<Response> =>
  respond('messages', (requestId) => generate(request, requestId, messagesProtocol));

export const OPTIONS = preflight;
