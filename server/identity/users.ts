import { nowDate } from '../clock';
import type { Tx } from '../db';
import { invariant } from '../errors';
import { newId } from '../ids';

/** The account of an e-mail address, made when it is new. Takes the normalised address. */
export async function openUser(tx: Tx, email: string): Promise<{ id: string }> {
  // The update changes nothing; it makes the row come back when another request made it first.
  const [user] = await tx.$queryRaw<{ id: string }[]>`
    INSERT INTO "user" (id, email, created_at) VALUES (${newId('usr')}, ${email}, ${nowDate()})
    ON CONFLICT (email) DO UPDATE SET email = excluded.email
    RETURNING id`;
  invariant(user, 'an upsert returns its row');
  return user;
}
