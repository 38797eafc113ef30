import { nowDate } from '../clock';
import type { Tx } from '../db';
import { authSecret } from '../env';
import { invariant } from '../errors';
import { hmacSha256, newId } from '../ids';
import { mailboxOf } from './email';

/** Finds or creates the account of a normalised e-mail address. */
export async function openUser(tx: Tx, email: string): Promise<{ id: string }> {
  // The update changes nothing. It makes the statement return the row when another request created it first.
  const [user] = await tx.$queryRaw<{ id: string }[]>`
    INSERT INTO "user" (id, email, created_at, mailbox_hash)
    VALUES (${newId('usr')}, ${email}, ${nowDate()}, ${hashMailbox(email)})
    ON CONFLICT (email) DO UPDATE SET email = excluded.email
    RETURNING id`;
  invariant(user, 'an upsert returns its row');
  return user;
}

/** Keyed, so that a deleted address cannot be found by hashing likely ones. */
const hashMailbox = (email: string) =>
  new Uint8Array(hmacSha256(`mailbox:${authSecret()}`, mailboxOf(email)));
