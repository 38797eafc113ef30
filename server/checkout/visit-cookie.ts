import { type Display, VISIT_LIFETIME_MS } from './visits';

/**
 * The token of a visit travels in a cookie of its own, so that windows of several apps do not
 * mix. In a frame on another site the cookie is partitioned: it exists under that site only.
 */
export function visitCookie(visitId: string, token: string, display: Display): string {
  const site = display === 'embedded' ? 'SameSite=None; Partitioned' : 'SameSite=Lax';
  return `${cookieName(visitId)}=${token}; Path=/; Max-Age=${VISIT_LIFETIME_MS / 1000}; Secure; HttpOnly; ${site}`;
}

export function readVisitToken(request: Request, visitId: string): string | null {
  const wanted = `${cookieName(visitId)}=`;
  const cookies = (request.headers.get('cookie') ?? '').split(';').map((cookie) => cookie.trim());
  return cookies.find((cookie) => cookie.startsWith(wanted))?.slice(wanted.length) ?? null;
}

const cookieName = (visitId: string): string => `__Host-svc-visit-${visitId}`;
