import { writeAccountMail } from '../base/account-mail';
import { settings } from '../base/env';
import { describeError, log } from '../base/log';
import { sendMail } from '../base/mail';
import { nameOfProvider } from './issuers';

/** Notifies a user that an identity was linked to their account, or is no longer. */

type Change = 'added' | 'removed';

/** Sends the mail after the change. A failure is only logged, because the change has happened. */
export async function sendIdentityMail(
  email: string,
  { provider }: { provider: string },
  change: Change,
): Promise<void> {
  const name = nameOfProvider(provider);
  const mail = writeAccountMail({
    subject: `Sign-in ${change}: ${settings().BRAND_NAME}`,
    paragraphs: [
      change === 'added'
        ? `You can now sign in to your account with ${name}, without a code.`
        : `You can no longer sign in to your account with ${name}.`,
      'If this was not you, remove sign-ins that are not yours in your account settings, and sign out everywhere on its Devices page.',
    ],
    link: { label: 'Show your settings', path: '/account/settings' },
    note: 'We send this e-mail after every change of how you sign in.',
  });
  try {
    await sendMail({ to: email, ...mail });
  } catch (error) {
    log().error({ error: describeError(error) }, 'could not send the mail about a sign-in');
  }
}
