import { countInputTokens } from '@/server/generation/count-tokens';
import { preflight } from '@/server/http/cors';
import { directRoute } from '@/server/http/direct-route';

export const POST = directRoute('chat', '/v1/responses/input_tokens', async (request) => ({
  body: JSON.stringify(await countInputTokens(request)),
  headers: { 'content-type': 'application/json', 'cache-control': 'no-store' },
}));

export const OPTIONS = preflight;
