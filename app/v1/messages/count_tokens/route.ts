import { countTokens } from '@/server/generation/count-tokens';
import { preflight } from '@/server/http/cors';
import { privateJson, respond } from '@/server/http/respond';

export const POST = (request: Request): Promise<Response> =>
  respond('messages', async () => privateJson(await countTokens(request)));

export const OPTIONS = preflight;
