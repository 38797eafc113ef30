import type { Language } from '../../texts/languages';
import { nowDate } from '../base/clock';
import type { Tx } from '../base/db';
import { ApiError, invariant } from '../base/errors';
import { newId } from '../base/ids';
import { storedHashes } from '../base/keyed-hash';
import { mailboxOf, untaggedAddress } from './email';

/** Finds or creates the account of a normalised e-mail address, and remembers the language that its user signs in with. */
export async function openUser(
  tx: Tx,
  email: string,
  language: Language | null = null,
): Promise<{ id: string; isNew: boolean }> {
  const [mailbox] = hashMailbox(email);
  const known = findMailboxHashes(email);
  // The update also makes the statement return the row when another request created it first.
  const [user] = await tx.$queryRaw<{ id: string; isNew: boolean }[]>`
    INSERT INTO "user" (id, email, created_at, last_language, mailbox_hash)
    VALUES (${newId('usr')}, ${email}, ${nowDate()}, ${language},
      coalesce((SELECT mailbox_hash FROM "user" WHERE mailbox_hash = ANY (${known})
        ORDER BY mailbox_hash = ${mailbox} DESC LIMIT 1), ${mailbox}))
    ON CONFLICT (email) DO UPDATE
      SET last_language = coalesce(excluded.last_language, "user".last_language)
    RETURNING id, xmax = 0 AS "isNew"`;
  invariant(user, 'an upsert returns its row');
  await requireUnreserved(tx, { email, userId: user.id });
  return user;
}

/** A replaced address is kept for the account that had it. After the upsert, which waits for a change in progress. */
async function requireUnreserved(
  tx: Tx,
  { email, userId }: { email: string; userId: string },
): Promise<void> {
  const reserved = { oldEmail: email, undoUntil: { gt: nowDate() }, userId: { not: userId } };
  if ((await tx.emailChange.count({ where: reserved })) > 0)
    throw new ApiError(
      'invalid_request',
      'Your account has a new e-mail address. Sign in with that one, or undo the change with the link that we sent to this one.',
      { param: 'email' },
    );
}

type Bytes = Uint8Array<ArrayBuffer>;

/** Keyed, so that a deleted address cannot be found by hashing likely ones. One for each accepted secret. */
export function hashMailbox(email: string, mailbox = mailboxOf(email)): [Bytes, ...Bytes[]] {
  const [current, ...previous] = storedHashes('mailbox', mailbox);
  return [new Uint8Array(current), ...previous.map((hash) => new Uint8Array(hash))];
}

/** Accounts of the mailbox may have a hash of before its address was folded. */
const findMailboxHashes = (email: string): Bytes[] => [
  ...hashMailbox(email),
  ...hashMailbox(email, untaggedAddress(email)),
];
