import { preflight } from '@/server/base/http/cors';
import { directRoute } from '@/server/base/http/direct-route';
import { quoteRequest } from '@/server/gateway/run/quote';

export const POST = directRoute('chat', '/v1/credits/quote', async (request) => ({
  body: JSON.stringify(await quoteRequest(request)),
  headers: { 'content-type': 'application/json', 'cache-control': 'no-store' },
}));

export const OPTIONS = preflight;
