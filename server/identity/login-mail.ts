import nodemailer, { type Transporter } from 'nodemailer';
import { settings } from '../env';
import { describeError, log } from '../log';

/** The mail that carries a login code: no link, nothing to click, and nothing to learn but the code. */

export type LoginMail = { to: string; code: string; appName: string; locale?: string | undefined };

/** A mail that cannot be sent is our problem: the caller's answer must not tell of it. */
export async function sendLoginMail(mail: LoginMail): Promise<void> {
  try {
    await transporter().sendMail({
      from: settings().MAIL_FROM,
      // As a structure, never as a header line to be parsed.
      to: { name: '', address: mail.to },
      headers: { 'Auto-Submitted': 'auto-generated' },
      ...writeLoginMail(mail),
    });
  } catch (error) {
    log().error({ error: describeError(error) }, 'login mail not sent');
  }
}

/** A mail server that hangs must not hang the sign-in page for long. */
const PATIENCE_MS = 5_000;

let current: { url: string; transporter: Transporter } | undefined;

function transporter(): Transporter {
  const url = settings().SMTP_URL;
  if (url === undefined) throw new Error('SMTP_URL is not set');
  if (current?.url !== url) {
    const limits = {
      connectionTimeout: PATIENCE_MS,
      greetingTimeout: PATIENCE_MS,
      socketTimeout: PATIENCE_MS,
      dnsTimeout: PATIENCE_MS,
    };
    current = { url, transporter: nodemailer.createTransport({ url, ...limits }) };
  }
  return current.transporter;
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
  const text = paragraphs
    .map((paragraph) => `<p style="margin:0 0 12px">${escapeHtml(paragraph)}</p>`)
    .join('');
  return (
    '<!doctype html><html><head><meta charset="utf-8"><meta name="color-scheme" content="light dark"></head>' +
    '<body style="margin:0;padding:32px 16px;font:16px/1.5 system-ui,sans-serif"><div style="max-width:480px;margin:0 auto">' +
    `<p style="margin:0 0 24px;font:600 32px/1.2 ui-monospace,monospace;letter-spacing:6px">${code}</p>${text}</div></body></html>`
  );
}

function escapeHtml(text: string): string {
  return text.replace(/[&<>"']/g, (character) => `&#${character.charCodeAt(0)};`);
}
