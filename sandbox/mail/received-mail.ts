import PostalMime, { type Address } from 'postal-mime';
import { nowDate } from '../../server/base/clock';

export type ReceivedMail = {
  id: string;
  to: string[];
  from: string;
  subject: string;
  text: string;
  html: string;
  received_at: string;
};

export async function parseMail(
  raw: Buffer,
  envelope: { id: string; from: string; to: string[] },
): Promise<ReceivedMail> {
  const mail = await PostalMime.parse(raw);
  return {
    id: envelope.id,
    // The envelope decides who receives the mail; its headers can say anything.
    to: envelope.to,
    from: formatAddress(mail.from) ?? envelope.from,
    subject: mail.subject ?? '',
    text: mail.text ?? '',
    html: mail.html ?? '',
    received_at: nowDate().toISOString(),
  };
}

function formatAddress(address: Address | undefined): string | null {
  if (address?.address === undefined) return null;
  return address.name === '' ? address.address : `${address.name} <${address.address}>`;
}
