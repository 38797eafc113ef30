import { creditsToJson, type Microcredits } from '../base/credits';
import { settings } from '../base/env';
import { describeError, log } from '../base/log';
import { htmlMail, htmlParagraph, sendMail } from '../base/mail';
import { normaliseEmail } from './email';

/** The e-mail with a login code. It contains no link and no information other than the code. */

export type LoginMail = {
  to: string;
  code: string;
  purpose: 'sign-in' | 'change';
  /** The change is an allowance of this many credits for the app. */
  allowance?: Microcredits | undefined;
  /** The change is that of the account's e-mail address to this one. */
  newEmail?: string | undefined;
  /** Null for an app whose name no operator has approved: anyone may have written it. */
  appName: string | null;
  locale?: string | undefined;
};

/** Sends the mail. A failure is logged only, because the response must not reveal it. */
export async function sendLoginMail(mail: LoginMail): Promise<void> {
  try {
    await sendMail({ to: mail.to, ...writeLoginMail(mail) });
  } catch (error) {
    log().error({ error: describeError(error) }, 'could not send the login mail');
  }
}

type Wording = { subject: string; code: string; reason: string; life: string; never: string; ignore: string };

function wordingFor(mail: LoginMail): Wording {
  if (mail.purpose === 'sign-in') return signInWording(mail);
  if (mail.newEmail !== undefined) return emailWording(mail, mail.newEmail);
  return mail.allowance === undefined ? changeWording(mail) : allowanceWording(mail, mail.allowance);
}

const speaksGerman = ({ locale }: LoginMail): boolean => /^de\b/i.test(locale ?? '');

function signInWording(mail: LoginMail): Wording {
  const { code, appName } = mail;
  const brand = settings().BRAND_NAME;
  const name = appName ?? brand;
  return speaksGerman(mail)
    ? {
        subject: `${code} ist Ihr Code für ${name}`,
        code: `${code} ist Ihr Code für ${name}.`,
        reason: `${appName ?? `Eine App, die ${brand} nutzt,`} hat diesen Code angefordert, damit Sie sich mit Ihrem Konto bei ${brand} anmelden können.`,
        life: 'Er ist 10 Minuten gültig und kann nur einmal verwendet werden.',
        never: 'Wir fragen Sie nie nach diesem Code, weder am Telefon noch im Chat oder per E-Mail.',
        ignore: 'Wenn Sie sich nicht anmelden wollten, können Sie diese E-Mail ignorieren.',
      }
    : {
        subject: `${code} is your ${name} code`,
        code: `${code} is your ${name} code.`,
        reason: `${appName ?? `An app that uses ${brand}`} requested this code so that you can sign in with your ${brand} account.`,
        life: 'It works once, within the next 10 minutes.',
        never: 'We will never ask you for this code by phone, chat or e-mail.',
        ignore: 'If you did not request it, you can ignore this e-mail.',
      };
}

/** In a frame, nothing else shows the user what they are about to allow. */
function allowanceWording(mail: LoginMail, allowance: Microcredits): Wording {
  const { code, appName } = mail;
  const isGerman = speaksGerman(mail);
  const credits = creditsToJson(allowance).toLocaleString(isGerman ? 'de' : 'en', {
    maximumFractionDigits: 6,
  });
  const text = isGerman
    ? `${code} erlaubt ${appName ?? 'einer App'}, bis zu ${credits} Ihrer Credits auszugeben`
    : `${code} allows ${appName ?? 'an app'} to spend up to ${credits} of your credits`;
  return {
    ...signInWording(mail),
    subject: text,
    code: `${text}.`,
    reason: isGerman
      ? `Geben Sie diesen Code nur ein, wenn ${appName ?? 'die App, die Sie danach fragt,'} bis zu ${credits} Credits ausgeben darf, die Sie anderswo gekauft haben.`
      : `Enter this code only if ${appName ?? 'the app that asks for it'} may spend up to ${credits} credits that you bought elsewhere.`,
    ignore: isGerman
      ? 'Wenn Sie das nicht möchten, ignorieren Sie diese E-Mail. Ohne den Code ändert sich nichts.'
      : 'If you do not want this, ignore this e-mail. Nothing changes without the code.',
  };
}

/** The dashboards, where other changes are confirmed, are in English. */
function changeWording({ code }: LoginMail): Wording {
  const brand = settings().BRAND_NAME;
  return {
    subject: `${code} confirms a change in your ${brand} account`,
    code: `${code} is your code to confirm a change in your ${brand} account.`,
    reason: `Someone who is signed in to your ${brand} account is about to change something there. This code confirms that change; it does not sign in.`,
    life: 'It works once, within the next 10 minutes.',
    never:
      'Enter it only on the page where you make the change. We will never ask you for it by phone, chat or e-mail.',
    ignore: `If this was not you, do not pass the code on. Sign in to ${brand} and sign out your other devices.`,
  };
}

/** The new mailbox learns nothing about the account. */
function emailWording(mail: LoginMail, newEmail: string): Wording {
  const brand = settings().BRAND_NAME;
  const { code, to } = mail;
  const given = normaliseEmail(to);
  const isNew = given.ok && given.email === newEmail;
  const text = isNew
    ? `${code} confirms this e-mail address for ${brand}`
    : `${code} changes the e-mail address of your ${brand} account`;
  return {
    ...changeWording(mail),
    subject: text,
    code: `${text}.`,
    reason: isNew
      ? `Someone wants to use this e-mail address for their ${brand} account. This code confirms that it is theirs; it does not sign in.`
      : `Someone who is signed in to your ${brand} account wants to change its e-mail address to ${newEmail}. After that, this address no longer signs in.`,
    ignore: isNew
      ? 'If this was not you, ignore this e-mail. Nothing changes without the code.'
      : `If this was not you, do not pass the code on. Sign in to ${brand} and sign out your other devices.`,
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
