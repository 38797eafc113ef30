import { headers } from 'next/headers';
import { notFound } from 'next/navigation';
import { isLive, settings } from '@/server/base/env';
import { isLoopbackHost } from '@/server/base/open-sandboxes';

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
  const { SANDBOX_MAIL_URL: sandbox, BASE_URL } = settings();
  if (sandbox === undefined || isLive()) notFound();
  if (isLoopbackHost(new URL(BASE_URL).hostname) && !(await isAskedOnThisMachine())) notFound();
  const url = new URL('/mails', sandbox);
  if (to) url.searchParams.set('to', to);
  const response = await fetch(url, { cache: 'no-store' });
  return (await response.json()) as Mail[];
}

/** Other names lead here through a tunnel, or from a web page whose name resolves to this machine. */
async function isAskedOnThisMachine(): Promise<boolean> {
  const asked = `http://${(await headers()).get('host')}`;
  return URL.canParse(asked) && isLoopbackHost(new URL(asked).hostname);
}
