import { nowDate } from '../clock';
import type { Tx } from '../db';
import { invariant } from '../errors';
import { newId } from '../ids';
import { storedHashes } from '../keyed-hash';
import { mailboxOf } from './email';

/** Finds or creates the account of a normalised e-mail address. */
export async function openUser(tx: Tx, email: string): Promise<{ id: string }> {
  const [mailbox, previously = mailbox] = hashMailbox(email);
  // The update changes nothing. It makes the statement return the row when another request created it first.
  const [user] = await tx.$queryRaw<{ id: string }[]>`
    INSERT INTO "user" (id, email, created_at, mailbox_hash)
    VALUES (${newId('usr')}, ${email}, ${nowDate()},
      coalesce((SELECT mailbox_hash FROM "user" WHERE mailbox_hash = ${previously} LIMIT 1), ${mailbox}))
    ON CONFLICT (email) DO UPDATE SET email = excluded.email
    RETURNING id`;
  invariant(user, 'an upsert returns its row');
  return user;
}

/** Keyed, so that a deleted address cannot be found by hashing likely ones. One for each accepted secret. */
export function hashMailbox(email: string): [Uint8Array<ArrayBuffer>, Uint8Array<ArrayBuffer>?] {
  const [current, previous] = storedHashes('mailbox', mailboxOf(email));
  return previous === undefined
    ? [new Uint8Array(current)]
    : [new Uint8Array(current), new Uint8Array(previous)];
}
