import type { Metadata } from 'next';
import { Mailbox } from './mailbox';
import { readMails } from './read-mails';

export const metadata: Metadata = { title: 'Test mailbox' };

type Props = { searchParams: Promise<{ to?: string | string[] }> };

export default async function MailPage({ searchParams }: Props) {
  const { to } = await searchParams;
  const address = typeof to === 'string' ? to : null;
  return <Mailbox to={address} first={await readMails(address)} />;
}
