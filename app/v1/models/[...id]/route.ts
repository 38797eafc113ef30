import { modelNotFound } from '@/server/generation/refusals';
import { findServedModel } from '@/server/generation/upstream';
import { preflight } from '@/server/http/cors';
import { writeModel } from '@/server/http/model-list';
import { respond } from '@/server/http/respond';

type Context = { params: Promise<{ id: string | string[] }> };

/** The id may arrive as two path segments or with `%2F`. */
export const GET = (_request: Request, context: Context): Promise<Response> =>
  respond('chat', async () => {
    const { id } = await context.params;
    const name = decodeURIComponent(Array.isArray(id) ? id.join('/') : id);
    const model = findServedModel(name);
    if (model === null) throw modelNotFound(name.slice(0, 200));
    return Response.json(writeModel(model));
  });

export const OPTIONS = preflight;
