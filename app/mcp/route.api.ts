import { serveMcp } from '@/server/api/mcp/serve';
import { preflight } from '@/server/base/http/cors';
import { respond } from '@/server/base/http/respond';

/** The MCP server for coding agents. */
export const POST = (request: Request): Promise<Response> =>
  respond('chat', (requestId) => serveMcp(request, requestId));

export const OPTIONS = preflight;
