import { writeServerMetadata } from '@/server/api/oauth';
import { preflight } from '@/server/base/http/cors';
import { respond } from '@/server/base/http/respond';

/** What OAuth clients read to find the endpoints (RFC 8414). */
export const GET = (): Promise<Response> =>
  respond('oauth', () =>
    Response.json(writeServerMetadata(), { headers: { 'cache-control': 'public, max-age=3600' } }),
  );

export const OPTIONS = preflight;
