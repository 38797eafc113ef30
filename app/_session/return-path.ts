export const HOME = '/account';

/** An origin that no real address has: what leaves it was no path of ours. */
const HERE = 'http://here.invalid';

/** Where to go after signing in: a path of this site and nothing else. */
export function readReturnPath(value: string | string[] | undefined): string {
  if (typeof value !== 'string' || !value.startsWith('/') || !URL.canParse(value, HERE)) return HOME;
  const url = new URL(value, HERE);
  const isPage = url.origin === HERE && !/^\/+(sign-in|api)(\/|$)/.test(url.pathname);
  return isPage && !url.pathname.startsWith('//') ? url.pathname + url.search : HOME;
}

/** The sign-in page, and back. */
export function signInPath(returnTo: string): string {
  return `/sign-in?return=${encodeURIComponent(returnTo)}`;
}
