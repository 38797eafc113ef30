import { ApiError } from '@/server/errors';
import { preflight } from '@/server/http/cors';
import { respond } from '@/server/http/respond';

export const POST = (): Promise<Response> =>
  respond('chat', () => {
    throw new ApiError('not_found', 'The Responses API is not supported. Use POST /v1/chat/completions.');
  });

export const OPTIONS = preflight;
