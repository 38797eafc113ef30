import { preflight } from '@/server/base/http/cors';
import { directRoute } from '@/server/base/http/direct-route';
import { respond } from '@/server/base/http/respond';
import { createMessageBatch, listMessageBatches } from '@/server/gateway/run/batches/read-batches';

export const POST = directRoute('messages', '/v1/messages/batches', createMessageBatch);

export const GET = (request: Request): Promise<Response> =>
  respond('messages', () => listMessageBatches(request));

export const OPTIONS = preflight;
