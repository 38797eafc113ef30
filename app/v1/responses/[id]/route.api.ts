import { ApiError } from '@/server/errors';
import { findKeptResponse } from '@/server/generation/kept-responses';
import { requireUserKey } from '@/server/http/authenticate';
import { preflight } from '@/server/http/cors';
import { privateJson, respond } from '@/server/http/respond';

type Context = { params: Promise<{ id: string }> };

export const GET = (request: Request, context: Context): Promise<Response> =>
  respond('chat', async () => {
    const { userId, partnerId } = await requireUserKey(request);
    const { id } = await context.params;
    const response = await findKeptResponse({ userId, partnerId }, id);
    if (response === null)
      throw new ApiError(
        'not_found',
        'No response with this id is kept for this user in this app. Responses are kept for a short time only.',
      );
    return privateJson(response);
  });

export const OPTIONS = preflight;
