import { prisma } from '../../base/db';
import type { MailRefs } from '../../base/due-mails';
import { settings } from '../../base/env';
import { escapeHtml } from '../../base/html';
import { htmlMail, htmlParagraph, type Mail } from '../../base/mail';
import { mailWords } from '../../base/mail-words';
import { writeStopPath } from '../../base/stop-link';
import { listDocuments } from '../invoices/documents';
import { type PurchaseReceipt, readPurchaseReceipt } from './purchases';
import { writeReceiptMail } from './receipt-text';

/** Null after the account is deleted. */
export async function writeReceipt({ purchaseId }: MailRefs['receipt']): Promise<Mail | null> {
  const { userId } = await prisma().purchase.findUniqueOrThrow({ where: { id: purchaseId } });
  const receipt = await readPurchaseReceipt(userId, purchaseId);
  if (receipt === null) return null;
  return { to: receipt.email, ...writeMail(receipt, { userId, hasInvoice: await isInvoiced(receipt) }) };
}

async function isInvoiced({ id, invoicedByProcessor }: PurchaseReceipt): Promise<boolean> {
  return invoicedByProcessor || (await listDocuments([id])).length > 0;
}

function writeMail(
  receipt: PurchaseReceipt,
  { userId, hasInvoice }: { userId: string; hasInvoice: boolean },
): Omit<Mail, 'to'> {
  const { title, intro, rows, link, note, say } = writeReceiptMail(receipt);
  const address = `${settings().BASE_URL}${link}`;
  const links = [
    { text: say.link, url: address },
    ...(hasInvoice ? [{ text: say.invoiceLink, url: `${address}#invoice` }] : []),
    {
      text: mailWords(receipt.language).links.stop,
      url: `${settings().BASE_URL}${writeStopPath({ userId })}`,
    },
  ];
  const lines = rows.map(({ label, value }) => `${label}: ${value}`);
  return {
    subject: title,
    text: `${[intro, lines.join('\n'), ...links.map(({ text, url }) => `${text}:\n${url}`), note].join('\n\n')}\n`,
    html: htmlMail(
      `<h1 style="margin:0 0 12px;font-size:20px">${escapeHtml(title)}</h1>${htmlParagraph(intro)}` +
        `<table role="presentation" style="width:100%;border-collapse:collapse;margin:16px 0">${rows.map(htmlRow).join('')}</table>` +
        `${links.map(htmlLink).join('')}${htmlParagraph(note)}`,
    ),
  };
}

function htmlLink({ text, url }: { text: string; url: string }): string {
  return `<p style="margin:0 0 12px"><a href="${escapeHtml(url)}">${escapeHtml(text)}</a></p>`;
}

function htmlRow({ label, value }: { label: string; value: string }): string {
  return (
    `<tr><td style="padding:6px 12px 6px 0;opacity:.7;vertical-align:top">${escapeHtml(label)}</td>` +
    `<td style="padding:6px 0;text-align:right">${escapeHtml(value)}</td></tr>`
  );
}
