import { writeAccountMail } from '../base/account-mail';
import { settings } from '../base/env';
import { describeError, log } from '../base/log';
import { sendMail } from '../base/mail';

/** Notifies a user that their passkeys have changed. */

type Change = 'added' | 'removed';

const WORDS: Record<Change, { what: string; advice: string }> = {
  added: {
    what: 'A passkey was added to your account. It can sign in without a code.',
    advice: 'If this was not you, remove the passkey in your account settings and sign out everywhere.',
  },
  removed: {
    what: 'A passkey was removed from your account. It can no longer sign in.',
    advice: 'If this was not you, sign out everywhere on the Devices page of your account.',
  },
};

/** Sends the mail after the change. A failure is only logged, because the change has happened. */
export async function sendPasskeyMail(
  { email, userId }: { email: string; userId: string },
  change: Change,
): Promise<void> {
  const mail = writeAccountMail({
    subject: `Passkey ${change}: ${settings().BRAND_NAME}`,
    paragraphs: [WORDS[change].what, WORDS[change].advice],
    link: { label: 'Show your passkeys', path: '/account/settings' },
    note: 'We send this e-mail after every change of your passkeys.',
    // A command may run without the secret that seals the link.
    ...(settings().AUTH_SECRET !== undefined && { stops: { userId } }),
  });
  try {
    await sendMail({ to: email, ...mail });
  } catch (error) {
    log().error({ error: describeError(error) }, 'could not send the mail about a passkey');
  }
}
