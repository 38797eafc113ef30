import { apiDocument } from '@/server/api/openapi/document';
import { preflight } from '@/server/base/http/cors';
import { respond } from '@/server/base/http/respond';

let text: string | undefined;

export const GET = (): Promise<Response> =>
  respond('chat', () => {
    text ??= JSON.stringify(apiDocument());
    return new Response(text, {
      headers: { 'content-type': 'application/json', 'cache-control': 'public, max-age=300' },
    });
  });

export const OPTIONS = preflight;
