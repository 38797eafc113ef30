import type { Tx } from './db';
import { ApiError } from './errors';

/**
 * What a user saves and what their deletion erases begin with this lock, so that nothing is saved for an account
 * while it is deleted, or afterwards.
 */
export async function lockAccount(tx: Tx, userId: string): Promise<{ email: string }> {
  const [user] = await tx.$queryRaw<{ email: string }[]>`
    SELECT email FROM "user" WHERE id = ${userId} AND deleted_at IS NULL FOR UPDATE`;
  if (user === undefined) throw new ApiError('not_found', 'This account has been deleted.');
  return user;
}
