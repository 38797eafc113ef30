/** The page that begins a sign-in with an issuer, to which the browser returns. */

/** The keys of `issuerFailures` in the messages of the checkout. */
export type IssuerFailure = 'failed' | 'cancelled' | 'unverified' | 'refused' | 'limited' | 'moved';

const SERVICE = '/sign-in';
/** The window that the checkout opens. */
export const SIGN_IN_WINDOW = '/checkout/sign-in';
/** An origin that no real URL has: whatever resolves outside it is not one of our paths. */
const HERE = 'http://here.invalid';

/** The path of one of our two pages, or of the sign-in page for anything else. */
export function readStart(value: string | null): string {
  if (value === null || !value.startsWith('/') || !URL.canParse(value, HERE)) return SERVICE;
  const { origin, pathname, search } = new URL(value, HERE);
  return origin === HERE && [SERVICE, SIGN_IN_WINDOW].includes(pathname) ? pathname + search : SERVICE;
}

export function withFailure(start: string, failure: IssuerFailure): string {
  const url = new URL(start, HERE);
  url.searchParams.set('failure', failure);
  return url.pathname + url.search;
}
