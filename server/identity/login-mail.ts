import { settings } from '../env';
import { describeError, log } from '../log';
import { htmlMail, htmlParagraph, sendMail } from '../mail';

/** The mail that carries a login code: no link, nothing to click, and nothing to learn but the code. */

export type LoginMail = { to: string; code: string; appName: string; locale?: string | undefined };

/** A mail that cannot be sent is our problem: the caller's answer must not tell of it. */
export async function sendLoginMail(mail: LoginMail): Promise<void> {
  try {
    await sendMail({ to: mail.to, ...writeLoginMail(mail) });
  } catch (error) {
    log().error({ error: describeError(error) }, 'login mail not sent');
  }
}

type Wording = { subject: string; code: string; reason: string; life: string; never: string; ignore: string };

function wordingFor({ code, appName, locale }: LoginMail): Wording {
  const brand = settings().BRAND_NAME;
  return /^de\b/i.test(locale ?? '')
    ? {
        subject: `${code} ist Ihr Code für ${appName}`,
        code: `${code} ist Ihr Code für ${appName}.`,
        reason: `${appName} hat diesen Code angefordert, damit Sie sich mit Ihrem Konto bei ${brand} anmelden können.`,
        life: 'Er gilt 10 Minuten und nur einmal.',
        never: 'Wir fragen nie nach diesem Code: nicht am Telefon, nicht im Chat und nicht per E-Mail.',
        ignore: 'Wenn Sie sich nicht anmelden wollten, brauchen Sie nichts zu tun.',
      }
    : {
        subject: `${code} is your ${appName} code`,
        code: `${code} is your ${appName} code.`,
        reason: `${appName} asked for this code so that you can sign in with your ${brand} account.`,
        life: 'It works once, within 10 minutes.',
        never: 'We never ask for this code: not by phone, not in a chat, not by e-mail.',
        ignore: 'If you did not want to sign in, there is nothing you need to do.',
      };
}

export function writeLoginMail(mail: LoginMail): { subject: string; text: string; html: string } {
  const wording = wordingFor(mail);
  const paragraphs = [`${wording.reason} ${wording.life}`, wording.never, wording.ignore];
  return {
    subject: wording.subject,
    text: `${[wording.code, ...paragraphs].join('\n\n')}\n`,
    html: htmlOf(mail.code, paragraphs),
  };
}

function htmlOf(code: string, paragraphs: string[]): string {
  const digits = `<p style="margin:0 0 24px;font:600 32px/1.2 ui-monospace,monospace;letter-spacing:6px">${code}</p>`;
  return htmlMail(digits + paragraphs.map(htmlParagraph).join(''));
}
