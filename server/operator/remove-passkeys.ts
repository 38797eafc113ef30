import { inTransaction } from '../base/db';
import { settings } from '../base/env';
import { sendPasskeyMail } from '../people/passkey-mail';
import { type Operator, recordAction } from './record';

/**
 * Removes all passkeys of a user who lost the device and is not allowed to confirm with a code. Returns how
 * many there were.
 */
export async function removePasskeysAs(
  operator: Operator,
  { userId, email, reason }: { userId: string; email: string; reason: string },
): Promise<number> {
  const removed = await inTransaction(async (tx) => {
    const { count } = await tx.passkey.deleteMany({ where: { userId } });
    const [before, after] = [{ passkeys: count }, { passkeys: 0 }];
    if (count > 0)
      await recordAction(tx, { operator, what: 'user.passkeys', subject: userId, reason, before, after });
    return count;
  });
  // Without a mail server, the command line runs next to the sandbox, which sends no mail.
  if (removed > 0 && settings().SMTP_URL !== undefined) await sendPasskeyMail({ email, userId }, 'removed');
  return removed;
}
