import { isMessagesClient, MODEL_HEADERS, writeModelList } from '@/server/api/models';
import { preflight } from '@/server/base/http/cors';
import { respond } from '@/server/base/http/respond';
import { servedModels } from '@/server/gateway/pricing/served';

export const GET = (request: Request): Promise<Response> =>
  respond('chat', () =>
    Response.json(writeModelList(servedModels(), isMessagesClient(request)), { headers: MODEL_HEADERS }),
  );

export const OPTIONS = preflight;
