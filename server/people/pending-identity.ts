import { z } from 'zod';
import { MINUTE_MS, now, SECOND_MS } from '../base/clock';
import { openSealed, seal } from '../base/seal';

/**
 * The cookie of an identity whose address opens an account only with a code. The code that was mailed there links the two.
 * It is sealed, so that only what an issuer has said can be in it, and good for the life of the code.
 */

export const PENDING_IDENTITY_COOKIE = '__Host-svc-identity';
const LIFETIME_MS = 10 * MINUTE_MS;
const PURPOSE = 'pending-identity';
const SEALED = /^[\w-]{1,3000}$/;

const schema = z.object({
  provider: z.enum(['oidc', 'google', 'microsoft', 'github']),
  issuer: z.string(),
  subject: z.string(),
  email: z.string(),
  challengeId: z.string(),
  resendInSeconds: z.number(),
  expiresAt: z.number(),
});

type PendingIdentity = Omit<z.output<typeof schema>, 'expiresAt'>;

export const sealPendingIdentity = (pending: PendingIdentity): string =>
  Buffer.from(seal(JSON.stringify({ ...pending, expiresAt: now() + LIFETIME_MS }), PURPOSE)).toString(
    'base64url',
  );

/** The value of a `Set-Cookie` header. An empty one ends the cookie. */
export const pendingIdentityCookie = (sealed: string): string =>
  `${PENDING_IDENTITY_COOKIE}=${sealed}; Max-Age=${sealed === '' ? 0 : LIFETIME_MS / SECOND_MS}; Path=/; HttpOnly; Secure; SameSite=Lax`;

/** Null when the cookie is missing, not ours or expired. */
export function openPendingIdentity(cookie: string | null | undefined): PendingIdentity | null {
  if (!cookie || !SEALED.test(cookie)) return null;
  try {
    const pending = schema.parse(JSON.parse(openSealed(Buffer.from(cookie, 'base64url'), PURPOSE)));
    return pending.expiresAt > now() ? pending : null;
  } catch {
    return null;
  }
}

/** The identity that a code for this address links. */
export function readPendingIdentity(
  cookie: string | null | undefined,
  email: string,
): PendingIdentity | null {
  const pending = openPendingIdentity(cookie);
  return pending?.email === email ? pending : null;
}
