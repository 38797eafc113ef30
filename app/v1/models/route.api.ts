import { isMessagesClient, MODEL_HEADERS, modelQuerySchema, writeModelList } from '@/server/api/models';
import { writeRules } from '@/server/base/data-rules';
import { preflight } from '@/server/base/http/cors';
import { validate } from '@/server/base/http/read-body';
import { respond } from '@/server/base/http/respond';
import type { CatalogModel } from '@/server/gateway/pricing/catalog';
import { meetsRules, servedModels } from '@/server/gateway/pricing/served';

export const GET = (request: Request): Promise<Response> =>
  respond('chat', () =>
    Response.json(writeModelList(listModels(request), isMessagesClient(request)), { headers: MODEL_HEADERS }),
  );

function listModels(request: Request): CatalogModel[] {
  const query = validate(modelQuerySchema, Object.fromEntries(new URL(request.url).searchParams));
  const rules = writeRules(query.data_rules);
  return servedModels().filter((model) => meetsRules(model, rules));
}

export const OPTIONS = preflight;
