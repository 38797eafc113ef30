import { preflight } from '@/server/base/http/cors';
import { directRoute } from '@/server/base/http/direct-route';
import { respond } from '@/server/base/http/respond';
import { createBatch, listBatches } from '@/server/gateway/run/batches/read-batches';

export const POST = directRoute('chat', '/v1/batches', createBatch);

export const GET = (request: Request): Promise<Response> => respond('chat', () => listBatches(request));

export const OPTIONS = preflight;
