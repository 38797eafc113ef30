import { isMessagesClient, MODEL_HEADERS, writeModel } from '@/server/api/models';
import { preflight } from '@/server/base/http/cors';
import { respond } from '@/server/base/http/respond';
import { findServedModel, findUnprefixedModel } from '@/server/gateway/pricing/served';
import { modelNotFound, warnOfPrefix } from '@/server/gateway/run/refusals';

type Context = { params: Promise<{ id: string | string[] }> };

/** The id may arrive as two path segments or as one with `%2F`. */
export const GET = (request: Request, context: Context): Promise<Response> =>
  respond('chat', async () => {
    const { id } = await context.params;
    const name = decode(Array.isArray(id) ? id.join('/') : id);
    const exact = findServedModel(name);
    const model = exact ?? findUnprefixedModel(name);
    if (model === null) throw modelNotFound(name.slice(0, 200));
    const headers = exact === null ? { 'x-svc-warnings': warnOfPrefix(name, model) } : undefined;
    return Response.json(writeModel(model, isMessagesClient(request)), {
      headers: { ...MODEL_HEADERS, ...headers },
    });
  });

export const OPTIONS = preflight;

function decode(segment: string): string {
  try {
    return decodeURIComponent(segment);
  } catch {
    return segment;
  }
}
