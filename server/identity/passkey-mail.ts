import { settings } from '../env';
import { describeError, log } from '../log';
import { htmlMail, htmlParagraph, sendMail } from '../mail';

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
export async function sendPasskeyMail(to: string, change: Change): Promise<void> {
  const { BRAND_NAME: brand, BASE_URL } = settings();
  const paragraphs = [
    WORDS[change].what,
    WORDS[change].advice,
    `Open ${BASE_URL}/account/settings to see your passkeys.`,
  ];
  try {
    await sendMail({
      to,
      subject: `Passkey ${change}: ${brand}`,
      text: `${paragraphs.join('\n\n')}\n`,
      html: htmlMail(paragraphs.map(htmlParagraph).join('')),
    });
  } catch (error) {
    log().error({ error: describeError(error) }, 'could not send the mail about a passkey');
  }
}
