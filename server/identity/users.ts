import { nowDate } from '../clock';
import type { Tx } from '../db';
import { invariant } from '../errors';
import { newId } from '../ids';

/** Finds or creates the account of a normalised e-mail address. */
export async function openUser(tx: Tx, email: string): Promise<{ id: string }> {
  // The update changes nothing. It makes the statement return the row when another request created it first.
  const [user] = await tx.$queryRaw<{ id: string }[]>`
    INSERT INTO "user" (id, email, created_at) VALUES (${newId('usr')}, ${email}, ${nowDate()})
    ON CONFLICT (email) DO UPDATE SET email = excluded.email
    RETURNING id`;
  invariant(user, 'an upsert returns its row');
  return user;
}
