import { preflight } from '@/server/http/cors';
import { respond } from '@/server/http/respond';
import { apiDocument } from '@/server/openapi/document';

let text: string | undefined;

export const GET = (): Promise<Response> =>
  respond('chat', () => {
    text ??= JSON.stringify(apiDocument());
    return new Response(text, {
      headers: { 'content-type': 'application/json', 'cache-control': 'public, max-age=300' },
    });
  });

export const OPTIONS = preflight;
