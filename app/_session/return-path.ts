export const HOME = '/account';

/** An origin that no real URL has: whatever resolves outside it is not one of our paths. */
const HERE = 'http://here.invalid';

/** Where to go after signing in: only ever a path of this site. */
export function readReturnPath(value: string | string[] | undefined): string {
  if (typeof value !== 'string' || !value.startsWith('/') || !URL.canParse(value, HERE)) return HOME;
  const url = new URL(value, HERE);
  const isPage = url.origin === HERE && !/^\/+(sign-in|api)(\/|$)/.test(url.pathname);
  return isPage && !url.pathname.startsWith('//') ? url.pathname + url.search : HOME;
}

/** The sign-in page, with the way back. */
export function signInPath(returnTo: string): string {
  return `/sign-in?return=${encodeURIComponent(returnTo)}`;
}

/** The page that asks an operator to sign in with the company's issuer, with the way back. */
export function issuerPath(returnTo: string): string {
  return `/sign-in/issuer?return=${encodeURIComponent(returnTo)}`;
}

/** The page that asks a signed-in user for a passkey, with the way back. */
export function passkeyPath(returnTo: string): string {
  return `/sign-in/passkey?return=${encodeURIComponent(returnTo)}`;
}
