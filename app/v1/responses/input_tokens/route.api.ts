import { preflight } from '@/server/base/http/cors';
import { directRoute } from '@/server/base/http/direct-route';
import { countInputTokens } from '@/server/gateway/run/count-tokens';

export const POST = directRoute('chat', '/v1/responses/input_tokens', async (request) => ({
  body: JSON.stringify(await countInputTokens(request)),
  headers: { 'content-type': 'application/json', 'cache-control': 'no-store' },
}));

export const OPTIONS = preflight;
