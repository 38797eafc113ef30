/** The value of a cookie as the browser sent it, or null when it is missing or empty. */
export function readCookie(request: Request, name: string): string | null {
  const wanted = `${name}=`;
  const cookies = (request.headers.get('cookie') ?? '').split(';').map((cookie) => cookie.trim());
  return cookies.find((cookie) => cookie.startsWith(wanted))?.slice(wanted.length) || null;
}
