import { nowDate } from '../base/clock';
import { prisma, type Tx } from '../base/db';
import { invariant } from '../base/errors';
import { sendPasskeyMail } from './passkey-mail';
import { isOperator } from './sessions';

/** The passkeys of a user: keys on their devices that sign in without a code. */

export type Passkey = { passkeyId: string; name: string; createdAt: Date; lastUsedAt: Date | null };

/** Oldest first. */
export async function listPasskeys(userId: string): Promise<Passkey[]> {
  const rows = await prisma().passkey.findMany({
    where: { userId },
    orderBy: [{ createdAt: 'asc' }, { id: 'asc' }],
  });
  return rows.map(({ id, name, createdAt, lastUsedAt }) => ({ passkeyId: id, name, createdAt, lastUsedAt }));
}

type Owner = { userId: string; email: string };

/** False when the user has no such passkey. */
export async function removePasskey({ userId, email }: Owner, passkeyId: string): Promise<boolean> {
  const { count } = await prisma().passkey.deleteMany({ where: { id: passkeyId, userId } });
  if (count > 0) await sendPasskeyMail({ email, userId }, 'removed');
  return count > 0;
}

/** Whether a user without a passkey confirms with a code, one may choose, or one must use the passkey. */
export type PasskeyUse = 'none' | 'optional' | 'required';

/**
 * Operators and members of teams, except viewers, who have a passkey confirm with nothing else, so that access
 * to their mailbox is not enough.
 */
export async function readPasskeyUse({ userId, email }: Owner): Promise<PasskeyUse> {
  const isTrusted = isOperator({ email });
  const [found] = await prisma().$queryRaw<{ use: PasskeyUse }[]>`
    SELECT CASE
      WHEN NOT EXISTS (SELECT 1 FROM passkey WHERE user_id = ${userId}) THEN 'none'
      WHEN ${isTrusted}::boolean OR EXISTS (SELECT 1 FROM team_member WHERE email = ${email} AND role <> 'viewer')
        THEN 'required'
      ELSE 'optional' END AS use`;
  invariant(found, 'a query without a table returns its row');
  return found.use;
}

/**
 * Keeps the account from being deleted for the rest of the transaction, and other locks of this kind
 * waiting. Null when it is deleted. Taken before the user's other rows, as account deletion does.
 */
export async function lockUser(tx: Tx, userId: string): Promise<{ email: string } | null> {
  const [user] = await tx.$queryRaw<{ email: string }[]>`
    SELECT email FROM "user" WHERE id = ${userId} AND deleted_at IS NULL FOR NO KEY UPDATE`;
  return user ?? null;
}

/** Records a use. False when the counter did not advance: another device has the same key. */
export async function recordUse(tx: Tx, { id, counter }: { id: string; counter: number }): Promise<boolean> {
  const count = BigInt(counter);
  const changed = await tx.$executeRaw`
    UPDATE passkey SET counter = ${count}, last_used_at = ${nowDate()}
    WHERE id = ${id} AND (counter < ${count} OR (counter = 0 AND ${count} = 0))`;
  return changed === 1;
}
