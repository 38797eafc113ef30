/**
 * The rules for pages that may open the checkout for a partner. Origins are compared as the exact text that
 * the browser writes. Custom schemes never go through `URL`, which reports no origin for them. Pure, so that
 * the partner dashboard applies the same rules as the server.
 */

export type ParsedOrigin =
  /** `warning`: allowed, but may be broader than intended. */
  { ok: true; origin: string; warning?: string } | { ok: false; reason: string };

const SCHEME_WILDCARD = /^([a-z][a-z0-9+.-]*):\/\/\*$/i;
const WEB_ORIGIN = /^https?:\/\/([^/?#@\\\s]+)\/?$/i;
/** As `URL` writes it, which keeps `;`, `,` and quotes. */
const HOST_NAME = /^(?:[\w.-]+|\[[\da-f:.]+\])$/;
/** Schemes that belong to browsers and operating systems, not to one app. */
const REFUSED_SCHEMES = new Set([
  'http',
  'https',
  'ws',
  'wss',
  'file',
  'data',
  'blob',
  'javascript',
  'about',
  'filesystem',
  'view-source',
  'ftp',
  'mailto',
  'tel',
  'intent',
  'vbscript',
  'jar',
  'resource',
  'chrome',
  'edge',
  'shell',
  'content',
  'sms',
  'market',
  'android-app',
  'search',
  'search-ms',
]);
/** Those of Windows and of Apple's stores. */
const SYSTEM_SCHEME = /^(ms-|itms)/;

export const isSystemScheme = (scheme: string): boolean =>
  REFUSED_SCHEMES.has(scheme) || SYSTEM_SCHEME.test(scheme);

const EXTENSION_SCHEME = /-extension$/;
export const MAX_ORIGIN_LENGTH = 255;

/** Parses an origin to register into the exact text that a browser will send. */
export function parseOrigin(text: string): ParsedOrigin {
  const given = text.trim();
  if (given.length > MAX_ORIGIN_LENGTH) return refuse('is too long');
  const scheme = SCHEME_WILDCARD.exec(given)?.[1]?.toLowerCase();
  return scheme === undefined ? parseWebOrigin(given) : parseSchemeWildcard(scheme);
}

function parseSchemeWildcard(scheme: string): ParsedOrigin {
  if (isSystemScheme(scheme))
    return refuse(`cannot register all of ${scheme}, because any app or page can use this scheme`);
  const origin = `${scheme}://*`;
  return EXTENSION_SCHEME.test(scheme)
    ? {
        ok: true,
        origin,
        warning: `${origin} allows all of the user's browser extensions to open the checkout`,
      }
    : { ok: true, origin };
}

function parseWebOrigin(given: string): ParsedOrigin {
  const host = WEB_ORIGIN.exec(given)?.[1];
  if (host === undefined) {
    return /^https?:\/\//i.test(given)
      ? refuse(
          'must have only a scheme and a host, without a path, query or user, such as https://example.com',
        )
      : refuse('must be a web origin such as https://example.com, or an app scheme such as myapp://*');
  }
  if (host.includes('*')) return refuse('must not contain a wildcard in the host. Register each subdomain.');
  const url = URL.canParse(given) ? new URL(given) : null;
  if (url === null) return refuse('is not a valid URL');
  if (!HOST_NAME.test(url.hostname))
    return refuse('must have a host of letters, digits, dots, hyphens and underscores only');
  if (url.hostname.endsWith('.')) return refuse('must not have a host that ends with a dot');
  const { origin } = url;
  if (!LOCALHOST.test(origin)) return { ok: true, origin };
  const warning = `${origin} opens the checkout without registration. Registered, it also recognises signed-in users without a click, whichever program on their device serves it, so remove it before you go live`;
  return { ok: true, origin, warning };
}

const refuse = (reason: string): ParsedOrigin => ({ ok: false, reason });

/** Development pages, always allowed on any port. */
const LOCALHOST = /^https?:\/\/(?:localhost|127\.0\.0\.1|(?:[a-z0-9_-]+\.)+localhost)(?::\d{1,5})?$/;
/** Excludes characters that could end a value in the headers and messages that contain an origin. */
const PLAIN_ORIGIN = /^[a-z][a-z0-9+.-]*:\/\/[\w.~:[\]%@-]*$/;

/** Whether a page with this origin, as the browser writes it, may use the checkout. */
export function isAllowedOrigin(origin: string, registered: readonly string[]): boolean {
  if (!PLAIN_ORIGIN.test(origin)) return false;
  if (LOCALHOST.test(origin)) return true;
  return registered.some((entry) =>
    entry.endsWith('://*') ? origin.startsWith(entry.slice(0, -1)) : origin === entry,
  );
}
