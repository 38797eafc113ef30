import { preflight } from '@/server/base/http/cors';
import { directRoute } from '@/server/base/http/direct-route';
import { imageEditsProtocol } from '@/server/gateway/protocols/images/protocol';
import { generate } from '@/server/gateway/run/generate';

export const POST = directRoute('chat', '/v1/images/edits', (request, requestId) =>
  generate(request, requestId, imageEditsProtocol),
);

export const OPTIONS = preflight;
