import { nowDate } from '../../base/clock';
import { prisma } from '../../base/db';
import { settings } from '../../base/env';
import { describeError, log } from '../../base/log';
import { escapeHtml, htmlMail, htmlParagraph, nextMailAttemptAt, sendMail } from '../../base/mail';
import { writeStopPath } from '../../base/stop-link';
import { listDocuments } from '../invoices/documents';
import { type PurchaseReceipt, readPurchaseReceipt } from './purchases';
import { writeReceiptMail } from './receipt-text';

const BATCH_SIZE = 50;

/**
 * Mails the receipt of a purchase when it is due. The next attempt is scheduled before this one
 * starts, so that two processes do not both send it and an unavailable mail server is tried again.
 */
export async function sendReceiptMail(purchaseId: string): Promise<void> {
  try {
    const userId = await claim(purchaseId);
    if (userId === null) return;
    const receipt = await readPurchaseReceipt(userId, purchaseId);
    if (receipt !== null)
      await sendMail({
        to: receipt.email,
        ...writeMail(receipt, { userId, hasInvoice: await isInvoiced(receipt) }),
      });
    await prisma().purchase.update({ where: { id: purchaseId }, data: { receiptDueAt: null } });
  } catch (error) {
    log().warn(
      { purchase_id: purchaseId, error: describeError(error) },
      'receipt not mailed, will be retried',
    );
  }
}

async function isInvoiced({ id, invoicedByProcessor }: PurchaseReceipt): Promise<boolean> {
  return invoicedByProcessor || (await listDocuments([id])).length > 0;
}

/** Sends all receipts that are due. */
export async function sweepReceiptMails(): Promise<void> {
  const due = await prisma().purchase.findMany({
    where: { receiptDueAt: { lte: nowDate() } },
    select: { id: true },
    orderBy: { receiptDueAt: 'asc' },
    take: BATCH_SIZE,
  });
  for (const { id } of due) await sendReceiptMail(id);
}

/**
 * Returns the user whose receipt this process may send, or null when another process has claimed it or it is
 * not due.
 */
async function claim(id: string): Promise<string | null> {
  const purchase = await prisma().purchase.findUniqueOrThrow({ where: { id } });
  const { receiptAttempts, receiptDueAt } = purchase;
  if (receiptDueAt === null) return null;
  const { count } = await prisma().purchase.updateMany({
    where: { id, receiptAttempts, receiptDueAt: { lte: nowDate() } },
    data: {
      receiptAttempts: receiptAttempts + 1,
      receiptDueAt: nextMailAttemptAt(receiptAttempts),
    },
  });
  return count === 1 ? purchase.userId : null;
}

function writeMail(
  receipt: PurchaseReceipt,
  { userId, hasInvoice }: { userId: string; hasInvoice: boolean },
): { subject: string; text: string; html: string } {
  const { title, intro, rows, link, linkText, invoiceLinkText, stopLinkText, note } =
    writeReceiptMail(receipt);
  const address = `${settings().BASE_URL}${link}`;
  const links = [
    { text: linkText, url: address },
    ...(hasInvoice ? [{ text: invoiceLinkText, url: `${address}#invoice` }] : []),
    { text: stopLinkText, url: `${settings().BASE_URL}${writeStopPath({ userId })}` },
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
