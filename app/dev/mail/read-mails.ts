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

/** The mails that the sandbox caught, newest first. Where real mail is sent there is no such page. */
export async function readMails(to: string | null): Promise<Mail[]> {
  const { SANDBOX_MAIL_URL: sandbox } = settings();
  if (sandbox === undefined) notFound();
  const url = new URL('/mails', sandbox);
  if (to) url.searchParams.set('to', to);
  const response = await fetch(url, { cache: 'no-store' });
  return (await response.json()) as Mail[];
}
