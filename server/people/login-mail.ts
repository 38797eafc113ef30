import type { Language } from '../../texts/languages';
import { joinSentences } from '../../texts/say';
import { creditsToJson, type Microcredits } from '../base/credits';
import { settings } from '../base/env';
import { describeError, log } from '../base/log';
import { htmlMail, htmlParagraph, sendMail } from '../base/mail';
import { type MailWords, mailWords } from '../base/mail-words';
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
  /** English if it is unknown. */
  language?: Language | undefined;
};

/** Sends the mail. A failure is logged only, because the response must not reveal it. */
export async function sendLoginMail(mail: LoginMail): Promise<void> {
  try {
    await sendMail({ to: mail.to, ...writeLoginMail(mail) });
  } catch (error) {
    log().error({ error: describeError(error) }, 'could not send the login mail');
  }
}

type Wording = { subject: string; reason: string; life: string; never: string; ignore: string };

function wordingFor(mail: LoginMail): Wording {
  const { login: say } = mailWords(mail.language ?? 'en');
  if (mail.purpose === 'sign-in') return signInWording(mail, say);
  if (mail.newEmail !== undefined) return emailWording(mail, mail.newEmail, say);
  return mail.allowance === undefined
    ? changeWording(mail, say)
    : allowanceWording(mail, mail.allowance, say);
}

type Say = MailWords['login'];

function signInWording({ code, appName }: LoginMail, say: Say): Wording {
  const brand = settings().BRAND_NAME;
  return {
    ...say,
    subject: say.subject({ code, name: appName ?? brand }),
    reason: appName === null ? say.reasonUnnamed({ brand }) : say.reason({ app: appName, brand }),
  };
}

/** In a frame, nothing else shows the user what they are about to allow. */
function allowanceWording(mail: LoginMail, allowance: Microcredits, say: Say): Wording {
  const { code, appName: app, language = 'en' } = mail;
  const value = creditsToJson(allowance);
  const count = { value, shown: value.toLocaleString(language, { maximumFractionDigits: 6 }) };
  return {
    ...say,
    subject:
      app === null
        ? say.allowanceSubjectUnnamed({ code, count })
        : say.allowanceSubject({ code, app, count }),
    reason: app === null ? say.allowanceReasonUnnamed({ count }) : say.allowanceReason({ app, count }),
    ignore: say.allowanceIgnore,
  };
}

function changeWording({ code }: LoginMail, say: Say): Wording {
  const brand = settings().BRAND_NAME;
  return {
    life: say.life,
    subject: say.changeSubject({ code, brand }),
    reason: say.changeReason({ brand }),
    never: say.changeNever,
    ignore: say.changeIgnore({ brand }),
  };
}

/** The new mailbox learns nothing about the account. */
function emailWording(mail: LoginMail, newEmail: string, say: Say): Wording {
  const brand = settings().BRAND_NAME;
  const { code, to } = mail;
  const given = normaliseEmail(to);
  const common = changeWording(mail, say);
  if (given.ok && given.email === newEmail)
    return {
      ...common,
      subject: say.newEmailSubject({ code, brand }),
      reason: say.newEmailReason({ brand }),
      ignore: say.newEmailIgnore,
    };
  return {
    ...common,
    subject: say.oldEmailSubject({ code, brand }),
    reason: say.oldEmailReason({ brand, email: newEmail }),
  };
}

export function writeLoginMail(mail: LoginMail): { subject: string; text: string; html: string } {
  const { subject, reason, life, never, ignore } = wordingFor(mail);
  const paragraphs = [joinSentences(mail.language ?? 'en', [reason, life]), never, ignore];
  return {
    subject,
    text: `${[subject, ...paragraphs].join('\n\n')}\n`,
    html: htmlOf(mail.code, paragraphs),
  };
}

function htmlOf(code: string, paragraphs: string[]): string {
  const digits = `<p style="margin:0 0 24px;font:600 32px/1.2 ui-monospace,monospace;letter-spacing:6px">${code}</p>`;
  return htmlMail(digits + paragraphs.map(htmlParagraph).join(''));
}
