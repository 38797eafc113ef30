import { runGeneration } from '@/server/generation/run';
import { preflight } from '@/server/http/cors';
import { respond } from '@/server/http/respond';

export const POST = (request: Request): Promise<Response> =>
  respond('chat', (requestId) => runGeneration(request, requestId));

export const OPTIONS = preflight;
