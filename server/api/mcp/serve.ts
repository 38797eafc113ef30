import type { CallToolResult, McpServer } from '@modelcontextprotocol/server';
import { networkOf } from '../../base/client-network';
import { SECOND_MS } from '../../base/clock';
import { settings } from '../../base/env';
import { ApiError, invariant } from '../../base/errors';
import { readClientIp } from '../../base/http/client-ip';
import { errorBody } from '../../base/http/error-bodies';
import { readJsonObject } from '../../base/http/read-body';
import { SMALL_BODY_BYTES } from '../../base/http/receive-body';
import { toApiError } from '../../base/http/respond';
import { countAttempt } from '../../base/rate-limit/attempts';
import { isAllowedOrigin } from '../../partners/origin-rules';
import { resourceMetadataUrl } from '../oauth';
import { DOCS_TOOLS } from './docs-tools';
import { PARTNER_TOOLS } from './partner-tools';
import type { Run, Tool } from './tool';
import { USER_TOOLS } from './user-tools';

/**
 * The MCP server: one message per request, no session, no stream that stays open. The SDK is imported with the first
 * request, because most instances get none.
 */

export const TOOLS: readonly Tool[] = [...DOCS_TOOLS, ...USER_TOOLS, ...PARTNER_TOOLS];

const INSTRUCTIONS =
  'Documentation, prices and account data of a prepaid-credit gateway for AI models. To integrate it into an app, read the page "skill" with read_docs.';

/** Some milliseconds of work each, for anyone. */
const MESSAGES_PER_NETWORK_PER_MINUTE = 600;

export async function serveMcp(request: Request, requestId: string): Promise<Response> {
  requireOwnOrigin(request);
  await requireRoom(request);
  const message: Message = await readJsonObject(request, SMALL_BODY_BYTES);
  const called = findCalled(message);
  const run = called && (await authorise(called, request));
  const { createMcpHandler, McpServer } = await import('@modelcontextprotocol/server');
  const newServer = (): McpServer => {
    const server = new McpServer(
      { name: settings().BRAND_NAME, version: '1.0.0' },
      { capabilities: { tools: {} }, instructions: INSTRUCTIONS },
    );
    for (const tool of called ? [called] : TOOLS)
      register(server, tool, (input) => answer(run, input, requestId));
    return server;
  };
  const handler = createMcpHandler(newServer, { maxSubscriptions: 0, keepAliveMs: 0 });
  const response = await handler.fetch(request, { parsedBody: message });
  response.headers.set('cache-control', 'no-store');
  return response;
}

/** A page whose name an attacker lets point to this server sends its own origin (DNS rebinding). */
function requireOwnOrigin({ headers }: Request): void {
  const origin = headers.get('origin');
  if (origin === null || isAllowedOrigin(origin, [new URL(settings().BASE_URL).origin])) return;
  throw new ApiError(
    'origin_not_allowed',
    'Origin: pages of other sites cannot call this URL. Call it from a program, or from a page on localhost.',
  );
}

async function requireRoom(request: Request): Promise<void> {
  const { network } = networkOf(readClientIp(request));
  const waitMs = await countAttempt('mcp', network, MESSAGES_PER_NETWORK_PER_MINUTE);
  if (waitMs === 0) return;
  const retryAfterSeconds = Math.ceil(waitMs / SECOND_MS);
  throw new ApiError('rate_limited', 'Too many messages from this network.', { retryAfterSeconds });
}

type Message = { method?: unknown; params?: unknown };

function findCalled({ method, params }: Message): Tool | null {
  if (method !== 'tools/call' || typeof params !== 'object' || params === null) return null;
  return TOOLS.find(({ name }) => name === Reflect.get(params, 'name')) ?? null;
}

async function authorise(tool: Tool, request: Request): Promise<Run> {
  try {
    return await tool.authorise(request);
  } catch (error) {
    throw error instanceof ApiError && error.status === 401 ? withChallenge(error) : error;
  }
}

/** Tells a client how to sign in (RFC 9728). No sign-in gives a program the signing secret of an app. */
const withChallenge = ({ code, message }: ApiError): ApiError =>
  new ApiError(code, message, {
    challenge:
      code === 'invalid_signing_secret'
        ? 'Basic realm="app"'
        : `Bearer resource_metadata="${resourceMetadataUrl()}"${code === 'missing_api_key' ? '' : ', error="invalid_token"'}`,
  });

function register(
  server: McpServer,
  { name, title, description, input, isReadOnly }: Tool,
  call: (input: object) => Promise<CallToolResult>,
): void {
  const annotations = { readOnlyHint: isReadOnly, destructiveHint: false, openWorldHint: !isReadOnly };
  server.registerTool(name, { title, description, inputSchema: input, annotations }, call);
}

async function answer(run: Run | null, input: object, requestId: string): Promise<CallToolResult> {
  try {
    invariant(run, 'a tool that is called was authorised');
    return { content: [toText(await run(input as never))] };
  } catch (failure) {
    return { content: [toText(errorBody('chat', toApiError(failure, requestId), requestId))], isError: true };
  }
}

const toText = (value: unknown) => ({
  type: 'text' as const,
  text: typeof value === 'string' ? value : JSON.stringify(value),
});
