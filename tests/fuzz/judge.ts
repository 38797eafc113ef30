import { Agent, type IncomingMessage, request } from 'node:http';
import { apiDocument } from '@/server/api/openapi/document';
import { chatErrorSchema, messagesErrorSchema, oauthErrorSchema } from '@/server/base/http/error-bodies';
import { SESSION_COOKIE } from '@/server/people/session-cookie';
import { compileContent } from '../api/check-response';
import type { Case } from './cases';
import type { World } from './world';

/** Sends a request and returns what is wrong with its response. */

/** Far more than any request takes, on a machine shared with other work. */
const PATIENCE_MS = 20_000;
const agent = new Agent({ keepAlive: true, maxSockets: 32 });

export type Answer = { status: number; headers: IncomingMessage['headers']; text: string };

export async function send({ server, dashboard }: World, sent: Case): Promise<Answer> {
  const { hostname, port } = new URL(sent.headers.origin === dashboard.url ? dashboard.url : server.url);
  const headers = { ...sent.headers, ...(sent.body && { 'content-length': String(sent.body.length) }) };
  return new Promise((resolve, reject) => {
    const outgoing = request({ hostname, port, agent, method: sent.method, path: sent.path, headers });
    const timer = setTimeout(() => outgoing.destroy(new Error('no answer in time')), PATIENCE_MS);
    outgoing.once('close', () => clearTimeout(timer));
    outgoing.once('error', reject);
    outgoing.once('response', async (incoming) => {
      try {
        const chunks = (await incoming.toArray()) as Buffer[];
        const text = Buffer.concat(chunks).toString();
        resolve({ status: incoming.statusCode ?? 0, headers: incoming.headers, text });
      } catch (error) {
        reject(error as Error);
      }
    });
    outgoing.end(sent.body ?? undefined);
  });
}

export function findFaults(world: World, sent: Case, answer: Answer): string[] {
  const { status, headers, text } = answer;
  const isOperator = JSON.stringify(sent.headers).includes(world.tokens.operator);
  // The documented answer while the machine has too much to do, with the time of the next attempt.
  const isBusy = status === 503 && headers['retry-after'] !== undefined;
  const shown = JSON.stringify(headers) + text;
  const leaks = [...world.secrets, ...(isOperator ? [] : world.personal)].filter((secret) =>
    shown.includes(secret),
  );
  return [
    ...(status < 500 || isBusy ? [] : [`status ${status}`]),
    ...leaks.map((secret) => `the response contains ${secret}`),
    ...(isApi(sent) ? findBodyFaults(sent, answer) : []),
  ];
}

/** A request that names no host belongs to no endpoint. */
const isApi = ({ target, headers }: Case): boolean =>
  !('host' in headers) && /^\w+ \/(v1|auth|oauth|\.well-known|checkout\/api)\//.test(target);

/** A URL that cannot be decoded, or has . or .. segments, belongs to no endpoint. */
function namesEndpoint(url: string): boolean {
  const [path = ''] = url.split('?', 1);
  if (/\/\.\.?(\/|$)/.test(path.replaceAll(/%2e/gi, '.'))) return false;
  try {
    return !decodeURIComponent(path).includes('\0');
  } catch {
    return false;
  }
}

/** Errors have the documented shape, and what the document says of the operation is true of its response. */
function findBodyFaults({ path, method, operation }: Case, { status, headers, text }: Answer): string[] {
  const type = String(headers['content-type'] ?? '').split(';', 1)[0] ?? '';
  if (status >= 400 && type === 'application/json') {
    // Repeated slashes are one.
    const single = path.replace(/^[^?]*/, (part) => part.replaceAll(/\/{2,}/g, '/'));
    const isMessages = /^\/(v1\/)*messages([/?]|$)/.test(single) && namesEndpoint(path);
    const isOauth =
      /^\/(oauth\/|\.well-known\/oauth-(authorization-server|protected-resource(\/mcp)?)(\?|$))/.test(
        single,
      ) && namesEndpoint(path);
    const schema = isMessages ? messagesErrorSchema : isOauth ? oauthErrorSchema : chatErrorSchema;
    const { success } = schema.strict().safeParse(JSON.parse(text));
    if (!success) return [`not the documented error: ${text.slice(0, 300)}`];
  } else if (status >= 400 && path.startsWith('/v1/')) return [`an error as ${type}: ${text.slice(0, 300)}`];
  if (operation === undefined || method !== operation.method.toUpperCase()) return [];
  const documented = apiDocument().paths[operation.path]?.[operation.method]?.responses[String(status)];
  if (documented === undefined) return [`undocumented status ${status}: ${text.slice(0, 300)}`];
  if (type !== 'application/json') return [];
  return check([operation.path, operation.method, String(status)], JSON.parse(text));
}

const checks = new Map<string, (value: unknown) => string[]>();

function check([path, method, status]: [string, string, string], value: unknown): string[] {
  const location = ['paths', path, method, 'responses', status, 'content', 'application/json'];
  const name = location.join(' ');
  const compiled = checks.get(name) ?? compileContent(apiDocument(), location);
  checks.set(name, compiled);
  return compiled(value);
}

/** Takes what the server logged since the last call. */
export function takeLogFaults({ server, secrets, personal, unlogged }: World): string[] {
  const end = server.log.lastIndexOf('\n') + 1;
  const lines = server.log.slice(0, end).split('\n');
  server.log = server.log.slice(end);
  const leaks = [...secrets, ...personal, ...unlogged];
  return lines.flatMap((line) => [
    ...leaks.filter((secret) => line.includes(secret)).map((secret) => `the log contains ${secret}: ${line}`),
    // What Next reports of arguments that it could not decode is the caller's error.
    ...(/"level":[56]0\b(?!.*"msg":"reported by the pages")/.test(line)
      ? [`an unexpected failure: ${line}`]
      : []),
  ]);
}

/** A request in one line, with what is needed to send it again. */
export const describe = ({ target, method, path, headers, body }: Case): string =>
  `${target}: ${method} ${path} ${JSON.stringify(headers).replace(new RegExp(`${SESSION_COOKIE}=\\w+`), '…')} ${body?.toString().slice(0, 600) ?? ''}`;
