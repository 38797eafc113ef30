import { isSystemScheme } from './origin-rules';

/**
 * The rules for redirect addresses, where the browser returns after a sign-in by redirect. An address is
 * registered whole and compared as text, after `URL` has normalised both. Pure, so that the partner dashboard
 * applies the same rules as the server.
 */

export type ParsedRedirect = { ok: true; uri: string; url: URL } | { ok: false; reason: string };

export const MAX_REDIRECT_CHARACTERS = 2_000;
const LOOPBACK_HOSTS = new Set(['localhost', '127.0.0.1', '[::1]']);
const APP_SCHEME = /^[a-z][a-z0-9+.-]*:$/;

/**
 * Parses a redirect address into the text that is stored and compared. A native app listens on any free port
 * of the loopback interface, so the port of such an address is left out (RFC 8252, section 7.3).
 */
export function parseRedirect(text: string): ParsedRedirect {
  const given = text.trim();
  if (given.length > MAX_REDIRECT_CHARACTERS) return refuse('is too long');
  if (!/^[\x21-\x7e]+$/.test(given) || !URL.canParse(given))
    return refuse('must be a whole address such as https://app.example.com/back or myapp://signed-in');
  if (given.includes('#')) return refuse('must not have a fragment');
  if (given.includes('*')) return refuse('must not contain a wildcard. Register each address.');
  const url = new URL(given);
  if (url.username !== '' || url.password !== '') return refuse('must not have credentials');
  const reason = whyRefused(url, given);
  return reason === null ? { ok: true, uri: writeUri(url), url } : refuse(reason);
}

/**
 * The origin that may exchange a token which was sent to this address, as a browser writes it. All pages of a
 * custom scheme belong to the same app, and `URL` reports no origin for them.
 */
export function originOfRedirect({ protocol, origin }: URL): string {
  return protocol === 'http:' || protocol === 'https:' ? origin : `${protocol}//*`;
}

/** The port is cut from a copy: the browser returns to the port that the app asked for. */
function writeUri(url: URL): string {
  const compared = new URL(url);
  if (isLoopback(url)) compared.port = '';
  return compared.href;
}

function whyRefused(url: URL, given: string): string | null {
  const { protocol, hostname } = url;
  if (protocol === 'https:')
    return hostname.endsWith('.') ? 'must not have a host that ends with a dot' : null;
  if (protocol === 'http:')
    return isLoopback(url) ? null : 'must use https, except on localhost, 127.0.0.1 and [::1]';
  const isOfApp = APP_SCHEME.test(protocol) && !isSystemScheme(protocol.slice(0, -1));
  return isOfApp && given.includes(':/')
    ? null
    : 'must use https or the scheme of an app, such as myapp://signed-in';
}

const isLoopback = ({ protocol, hostname }: URL): boolean =>
  protocol === 'http:' && LOOPBACK_HOSTS.has(hostname);

const refuse = (reason: string): ParsedRedirect => ({ ok: false, reason });
