import { notFound } from 'next/navigation';
import { settings } from '@/server/env';

export type Mail = {
  id: string;
  to: string[];
  from: string;
  subject: string;
  text: string;
  received_at: string;
};

/** The e-mails that the sandbox captured, newest first. Where real mail is sent, this page does not exist. */
export async function readMails(to: string | null): Promise<Mail[]> {
  const { SANDBOX_MAIL_URL: sandbox } = settings();
  if (sandbox === undefined) notFound();
  const url = new URL('/mails', sandbox);
  if (to) url.searchParams.set('to', to);
  const response = await fetch(url, { cache: 'no-store' });
  return (await response.json()) as Mail[];
}
