import type { Adapter, AdapterUser } from 'next-auth/adapters';
import { findSession, type LiveSession } from './sessions';

/**
 * Our sessions as next-auth reads them. It keeps tokens in the clear; here they are looked up by
 * their hash, and last use and expiry are ours. Sign-in and sign-out never pass through it.
 */

export type SessionUser = AdapterUser & { live: LiveSession };

/** `onFailure` learns why a session could not be read: next-auth keeps that to itself. */
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
});
