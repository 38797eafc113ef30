import type { Purchase } from '../../../prisma/client/client';
import { nowDate } from '../../base/clock';
import { inTransaction, prisma, type Tx } from '../../base/db';
import { invariant } from '../../base/errors';
import { hasIdForm } from '../../base/ids';
import { findUnprintable } from '../../base/printable';
import { toBuyer } from './billing-details';
import { type Buyer, type DocumentKind, documentSchema, type InvoiceDocument } from './document';
import { findSeller } from './seller';

/** The buyer as entered in the processor's form. */
export type BuyerFromForm = Omit<Buyer, 'reference'>;

/**
 * Issues the invoice of a new purchase if it is known who bought: the user has billing details, or entered a complete
 * address and a tax id in the processor's form. Call it last in its transaction, because it locks the series.
 */
export async function invoiceNewPurchase(
  tx: Tx,
  purchase: Purchase,
  language: string,
  buyer: BuyerFromForm | null,
): Promise<void> {
  if (findSeller() === null || purchase.invoicedByProcessor) return;
  const details = await tx.billingDetails.findUnique({ where: { userId: purchase.userId } });
  const chosen = chooseBuyer(details === null ? null : toBuyer(details), buyer);
  if (chosen !== null) await issueInvoice(tx, purchase, language, chosen);
}

/** The tax follows from the id that was entered in the form, so that id is shown. */
function chooseBuyer(details: Buyer | null, form: BuyerFromForm | null): Buyer | null {
  if (details !== null) return { ...details, taxId: form?.taxId ?? details.taxId };
  if (form === null || form.taxId === null || form.address.length === 0) return null;
  const isPrintable = findUnprintable([form.name, form.taxId, ...form.address].join('')) === null;
  return isPrintable ? { ...form, reference: null } : null;
}

export type InvoiceRequest =
  | { ok: true; number: string }
  | {
      ok: false;
      reason: 'not_offered' | 'no_such_purchase' | 'invoiced_by_processor' | 'no_billing_details';
    };

/** Issues the invoice of an earlier purchase, or finds the one it has. */
export async function requestInvoice(userId: string, purchaseId: string): Promise<InvoiceRequest> {
  if (!hasIdForm(purchaseId)) return { ok: false, reason: 'no_such_purchase' };
  return inTransaction(async (tx): Promise<InvoiceRequest> => {
    await tx.$queryRaw`SELECT 1 FROM purchase WHERE id = ${purchaseId} AND user_id = ${userId} FOR UPDATE`;
    const purchase = await tx.purchase.findFirst({ where: { id: purchaseId, userId } });
    if (purchase === null) return { ok: false, reason: 'no_such_purchase' };
    const issued = await tx.invoice.findFirst({ where: { purchaseId, kind: 'invoice' } });
    if (issued !== null) return { ok: true, number: issued.number };
    if (purchase.invoicedByProcessor) return { ok: false, reason: 'invoiced_by_processor' };
    if (findSeller() === null) return { ok: false, reason: 'not_offered' };
    const details = await tx.billingDetails.findUnique({ where: { userId } });
    if (details === null) return { ok: false, reason: 'no_billing_details' };
    const session = await tx.checkoutSession.findUnique({ where: { id: purchase.sessionId } });
    const number = await issueInvoice(tx, purchase, session?.language ?? 'en', toBuyer(details));
    await correctInvoice(tx, purchase);
    return { ok: true, number };
  });
}

function issueInvoice(tx: Tx, purchase: Purchase, language: string, buyer: Buyer): Promise<string> {
  const seller = findSeller();
  invariant(seller, 'invoices are offered');
  const { id: purchaseId, currency, credits, rate, taxPercent, isReverseCharge, createdAt } = purchase;
  return insertDocument(tx, 'invoice', purchase, {
    amountMinor: purchase.amountMinor,
    taxMinor: purchase.taxMinor,
    document: {
      language: language === 'de' ? 'de' : 'en',
      seller,
      buyer,
      purchaseId,
      paidAt: createdAt.toISOString(),
      currency,
      credits: credits.toString(),
      rate: rate.toString(),
      taxPercent: taxPercent?.toString() ?? null,
      isReverseCharge,
      corrects: null,
    },
  });
}

type ReversedPurchase = Pick<
  Purchase,
  'id' | 'userId' | 'amountMinor' | 'taxMinor' | 'refundedMinor' | 'disputedMinor'
>;

/**
 * Brings the credit notes of an invoiced purchase to what has been refunded and disputed: one for what was added,
 * or a cancellation for what a failed refund or a won dispute returned. The purchase must be locked.
 */
export async function correctInvoice(tx: Tx, purchase: ReversedPurchase): Promise<void> {
  const documents = await tx.invoice.findMany({ where: { purchaseId: purchase.id } });
  const invoice = documents.find(({ kind }) => kind === 'invoice');
  if (invoice === undefined) return;
  const signOf = { invoice: 0, credit_note: 1, cancellation: -1 };
  const sum = (of: 'amountMinor' | 'taxMinor') =>
    documents.reduce((total, row) => total + signOf[row.kind as DocumentKind] * row[of], 0);
  const due = Math.min(purchase.refundedMinor + purchase.disputedMinor, purchase.amountMinor);
  const amountMinor = due - sum('amountMinor');
  // The sum is rounded, not its parts.
  const taxMinor = Math.round((invoice.taxMinor * due) / invoice.amountMinor) - sum('taxMinor');
  if (amountMinor === 0) return;
  await insertDocument(tx, amountMinor > 0 ? 'credit_note' : 'cancellation', purchase, {
    amountMinor: Math.abs(amountMinor),
    taxMinor: Math.abs(taxMinor),
    document: {
      ...documentSchema.parse(invoice.document),
      corrects: { number: invoice.number, issuedAt: invoice.issuedAt.toISOString() },
    },
  });
}

type NewDocument = { amountMinor: number; taxMinor: number; document: InvoiceDocument };

/**
 * Takes the next number of the series and inserts the document, in one statement: a number without a document, and a
 * document without a number, cannot exist. Others wait for the series until this transaction ends.
 */
async function insertDocument(
  tx: Tx,
  kind: DocumentKind,
  { id: purchaseId, userId }: Pick<Purchase, 'id' | 'userId'>,
  { amountMinor, taxMinor, document }: NewDocument,
): Promise<string> {
  const issuedAt = nowDate();
  const series = `${kind === 'invoice' ? 'INV' : 'CN'}-${issuedAt.getUTCFullYear()}`;
  const [row] = await tx.$queryRaw<{ number: string }[]>`
    WITH next AS (
      INSERT INTO invoice_series (series, last) VALUES (${series}, 1)
      ON CONFLICT (series) DO UPDATE SET last = invoice_series.last + 1 RETURNING series, last)
    INSERT INTO invoice (number, series, serial, kind, user_id, purchase_id, amount_minor, tax_minor, document, issued_at)
    SELECT series || '-' || lpad(last::text, greatest(6, length(last::text)), '0'), series, last, ${kind}, ${userId},
           ${purchaseId}, ${amountMinor}, ${taxMinor}, ${JSON.stringify(document)}::jsonb, ${issuedAt}
    FROM next RETURNING number`;
  invariant(row, 'an insert returns its row');
  return row.number;
}

/** Whether the user's purchases will be invoiced without anything entered in the processor's form. */
export async function needsTaxIdInForm(userId: string): Promise<boolean> {
  return findSeller() !== null && (await prisma().billingDetails.count({ where: { userId } })) === 0;
}
