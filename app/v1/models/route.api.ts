import { isMessagesClient, MODEL_HEADERS, writeModelList } from '@/server/api/models';
import { preflight } from '@/server/http/cors';
import { respond } from '@/server/http/respond';
import { servedModels } from '@/server/pricing/served';

export const GET = (request: Request): Promise<Response> =>
  respond('chat', () =>
    Response.json(writeModelList(servedModels(), isMessagesClient(request)), { headers: MODEL_HEADERS }),
  );

export const OPTIONS = preflight;
