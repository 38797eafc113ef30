import { preflight } from '@/server/base/http/cors';
import { directRoute } from '@/server/base/http/direct-route';
import { countTokens } from '@/server/gateway/run/count-tokens';

export const POST = directRoute('messages', '/v1/messages/count_tokens', async (request) => ({
  body: JSON.stringify(await countTokens(request)),
  headers: { 'content-type': 'application/json', 'cache-control': 'no-store' },
}));

export const OPTIONS = preflight;
