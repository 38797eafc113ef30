import nodemailer, { type Transporter } from 'nodemailer';
import { settings } from './env';
import { escapeHtml } from './html';

/** Sends every mail of the product. */

export type Mail = {
  to: string;
  subject: string;
  text: string;
  html: string;
  /** Ends mails of this kind with one POST (RFC 8058), so that mail programs can offer a button for it. */
  unsubscribeUrl?: string;
};

/** Throws when the mail server rejects the mail. */
export async function sendMail({ to, unsubscribeUrl, ...content }: Mail): Promise<void> {
  await transporter().sendMail({
    from: settings().MAIL_FROM,
    // A structured value, so that it is never parsed as a header line.
    to: { name: '', address: to },
    headers: {
      'Auto-Submitted': 'auto-generated',
      ...(unsubscribeUrl !== undefined && {
        'List-Unsubscribe': `<${unsubscribeUrl}>`,
        'List-Unsubscribe-Post': 'List-Unsubscribe=One-Click',
      }),
    },
    ...content,
  });
}

/** Connects and signs in. Throws when the mail server refuses it. */
export async function checkMailServer(): Promise<void> {
  await transporter().verify();
}

/** Wraps HTML content in the mail's layout. */
export function htmlMail(content: string): string {
  return (
    '<!doctype html><html><head><meta charset="utf-8"><meta name="color-scheme" content="light dark"></head>' +
    '<body style="margin:0;padding:32px 16px;font:16px/1.5 system-ui,sans-serif"><div style="max-width:480px;margin:0 auto">' +
    `${content}</div></body></html>`
  );
}

export function htmlParagraph(text: string): string {
  return `<p style="margin:0 0 12px">${escapeHtml(text)}</p>`;
}

/** A hanging mail server must not block the sign-in page for long. */
const TIMEOUT_MS = 5_000;
const TIMEOUTS = ['connectionTimeout', 'greetingTimeout', 'socketTimeout', 'dnsTimeout'];

let current: { url: string; transporter: Transporter } | undefined;

function transporter(): Transporter {
  const url = settings().SMTP_URL;
  if (url === undefined) throw new Error('SMTP_URL is not set');
  if (current?.url !== url) current = { url, transporter: nodemailer.createTransport(addTimeouts(url)) };
  return current.transporter;
}

/** In the query, because nodemailer ignores other options next to a URL. Those that the operator set there stay. */
function addTimeouts(smtpUrl: string): string {
  const url = new URL(smtpUrl);
  for (const name of TIMEOUTS) {
    if (!url.searchParams.has(name)) url.searchParams.set(name, String(TIMEOUT_MS));
  }
  return url.href;
}
