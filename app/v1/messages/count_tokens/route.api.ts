import { countTokens } from '@/server/generation/count-tokens';
import { preflight } from '@/server/http/cors';
import { directRoute } from '@/server/http/direct-route';

export const POST = directRoute('messages', '/v1/messages/count_tokens', async (request) => ({
  body: JSON.stringify(await countTokens(request)),
  headers: { 'content-type': 'application/json', 'cache-control': 'no-store' },
}));

export const OPTIONS = preflight;
