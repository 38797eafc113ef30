import { preflight } from '@/server/http/cors';
import { respond } from '@/server/http/respond';
import { buildDocument } from '@/server/openapi/document';

/** Made once: it changes with the settings alone. */
let text: string | undefined;

export const GET = (): Promise<Response> =>
  respond('chat', () => {
    text ??= JSON.stringify(buildDocument());
    return new Response(text, {
      headers: { 'content-type': 'application/json', 'cache-control': 'public, max-age=300' },
    });
  });

export const OPTIONS = preflight;
