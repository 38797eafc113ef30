import { newId } from '../ids';
import { securityHeaders } from './security-headers';

/**
 * CORS. User keys travel in headers and no cookie is read under /v1, so any origin may call.
 * Endpoints that mint keys or start purchases for a publishable key check the partner's origins.
 */
const ALWAYS_ALLOWED_HEADERS = [
  'authorization',
  'content-type',
  'accept',
  'x-user-key',
  'x-api-key',
  'anthropic-version',
  'anthropic-beta',
  'anthropic-dangerous-direct-browser-access',
  'user-agent',
  'openai-organization',
  'openai-project',
  'idempotency-key',
  'x-svc-max-credits',
  'x-svc-quote',
  'x-svc-run',
  'x-svc-run-max-credits',
];
const HEADER_NAME = /^[a-z0-9!#$%&'*+.^_`|~-]{1,64}$/;
const MAX_ECHOED_HEADERS = 40;

const EXPOSED_HEADERS = [
  'x-request-id',
  'request-id',
  'retry-after',
  'retry-after-ms',
  'x-should-retry',
  'idempotent-replayed',
  'x-svc-output-cap',
  'x-svc-credits-charged',
  'x-svc-warnings',
  'www-authenticate',
].join(', ');

export const CORS_HEADERS = {
  'access-control-allow-origin': '*',
  'access-control-expose-headers': EXPOSED_HEADERS,
} as const;

/** Responds to a preflight request. No key is needed, and the requested header names are echoed. */
export function preflight(request: Request): Response {
  const requested = (request.headers.get('access-control-request-headers') ?? '')
    .toLowerCase()
    .split(',')
    .map((name) => name.trim())
    .filter((name) => HEADER_NAME.test(name))
    .slice(0, MAX_ECHOED_HEADERS);
  const requestId = newId('req');
  return new Response(null, {
    status: 204,
    headers: {
      ...securityHeaders(),
      'x-request-id': requestId,
      'request-id': requestId,
      'access-control-allow-origin': '*',
      'access-control-allow-methods': 'GET, POST, DELETE, OPTIONS',
      'access-control-allow-headers': [...new Set([...ALWAYS_ALLOWED_HEADERS, ...requested])].join(', '),
      'access-control-max-age': '86400',
      vary: 'Origin, Access-Control-Request-Headers',
    },
  });
}
