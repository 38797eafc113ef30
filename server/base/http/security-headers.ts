import { settings } from '../env';

/** No document of ours comes without a policy: a response that is not a page allows nothing and no frame. */
export const NO_CONTENT_POLICY = "default-src 'none'; frame-ancestors 'none'";
const HSTS = 'max-age=31536000; includeSubDomains';

let ofEveryResponse: Readonly<Record<string, string>> | undefined;

/** The security headers of every response. Built once, because they depend only on the settings. */
export function securityHeaders(): Readonly<Record<string, string>> {
  ofEveryResponse ??= {
    'x-content-type-options': 'nosniff',
    'content-security-policy': NO_CONTENT_POLICY,
    ...(settings().BASE_URL.startsWith('https:') && { 'strict-transport-security': HSTS }),
  };
  return ofEveryResponse;
}

/** Those of the service's own pages and files, which no other site loads. `proxy.ts` replaces some for each page. */
export const ownSiteHeaders = (): Record<string, string> => ({
  ...securityHeaders(),
  'cache-control': 'no-store',
  'referrer-policy': 'no-referrer',
  'cross-origin-resource-policy': 'same-origin',
});
