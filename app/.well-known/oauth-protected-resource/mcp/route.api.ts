import { writeResourceMetadata } from '@/server/api/oauth';
import { preflight } from '@/server/base/http/cors';
import { respond } from '@/server/base/http/respond';

/** What MCP clients read to find the server that signs their user in (RFC 9728). */
export const GET = (): Promise<Response> =>
  respond('oauth', () =>
    Response.json(writeResourceMetadata(), { headers: { 'cache-control': 'public, max-age=3600' } }),
  );

export const OPTIONS = preflight;
