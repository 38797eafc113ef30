import type { Adapter, AdapterUser } from 'next-auth/adapters';
import { findSession, type LiveSession } from './sessions';

/**
 * Lets next-auth read our sessions. next-auth stores tokens in plain text; here they are looked up by
 * hash, and we manage last use and expiry. Sign-in and sign-out do not use it: an account is never found by what an issuer says without our rules.
 */

export type SessionUser = AdapterUser & { live: LiveSession };

/** `onFailure` receives the error when a session cannot be read, which next-auth does not expose. */
export const sessionAdapter = (onFailure: (error: unknown) => void): Adapter => ({
  async getSessionAndUser(token) {
    const live = await findSession(token).catch((error: unknown) => {
      onFailure(error);
      throw error;
    });
    if (live === null) return null;
    const user: SessionUser = { id: live.userId, email: live.email, emailVerified: live.createdAt, live };
    return { session: { sessionToken: token, userId: live.userId, expires: live.expiresAt }, user };
  },
  updateSession: () => null,
  getUserByAccount: () => null,
});
