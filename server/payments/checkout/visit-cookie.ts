import { readCookie } from '../../base/cookies';
import { type Display, VISIT_LIFETIME_MS } from './visits';

/**
 * Each visit has its own cookie for its token, so that windows of different apps do not conflict.
 * In a frame on another site the cookie is partitioned: it exists only under that site.
 */
export function visitCookie(visitId: string, token: string, display: Display): string {
  const site = display === 'embedded' ? 'SameSite=None; Partitioned' : 'SameSite=Lax';
  return `${cookieName(visitId)}=${token}; Path=/; Max-Age=${VISIT_LIFETIME_MS / 1000}; Secure; HttpOnly; ${site}`;
}

export function readVisitToken(request: Request, visitId: string): string | null {
  return readCookie(request, cookieName(visitId));
}

const cookieName = (visitId: string): string => `__Host-svc-visit-${visitId}`;
