import type { Metadata } from 'next';
import { notFound } from 'next/navigation';
import { requireSession } from '@/app/_session/session';
import { Badge } from '@/app/_ui/badge';
import { settings } from '@/server/base/env';
import { readPurchaseReceipt } from '@/server/payments/checkout/purchases';
import { writeReceipt } from '@/server/payments/checkout/receipt-text';
import { readBillingDetails } from '@/server/payments/invoices/billing-details';
import { listDocuments } from '@/server/payments/invoices/documents';
import { findSeller } from '@/server/payments/invoices/seller';
import { InvoiceLinks } from './invoice-links';
import { PrintButton } from './print-button';

export const metadata: Metadata = { title: 'Receipt' };

type Props = { params: Promise<{ id: string }> };

/** The printable receipt of a purchase, in the language of its mail. */
export default async function ReceiptPage({ params }: Props) {
  const { userId } = await requireSession();
  const { id } = await params;
  const receipt = await readPurchaseReceipt(userId, id);
  if (receipt === null) notFound();
  const { heading, rows, status, say } = writeReceipt(receipt);
  const [documents, details] = await Promise.all([listDocuments([id]), readBillingDetails(userId)]);
  return (
    <main
      lang={receipt.language}
      className="mx-auto w-full max-w-[640px] px-5 py-8 sm:py-14 print:max-w-none print:p-0"
    >
      <div className="mb-6 flex items-center justify-between gap-4 print:hidden">
        <a href="/account" className="-my-2 inline-flex min-h-11 items-center text-muted hover:text-text">
          ← {say.back}
        </a>
        <PrintButton label={say.print} />
      </div>
      <article className="rounded-2xl border border-line bg-surface p-6 sm:p-9 print:border-0 print:p-0">
        <p className="flex items-center gap-2.5 font-semibold">
          <img src="/icon.svg" alt="" width="28" height="28" />
          {settings().BRAND_NAME}
        </p>
        <div className="mt-8 flex flex-wrap items-center gap-3">
          <h1 className="text-2xl font-semibold">{heading}</h1>
          <Badge look={receipt.status === 'paid' ? 'positive' : 'neutral'}>{status}</Badge>
        </div>
        <dl className="mt-6 divide-y divide-line border-y border-line">
          {rows.map(({ label, value }) => (
            <div key={label} className="flex flex-wrap justify-between gap-x-6 gap-y-0.5 py-3">
              <dt className="text-muted">{label}</dt>
              <dd className="ml-auto min-w-0 text-right font-medium wrap-anywhere tabular-nums">{value}</dd>
            </div>
          ))}
        </dl>
        {receipt.invoicedByProcessor && (
          <p className="mt-4 print:hidden">
            <a href={`/account/receipts/${id}/invoice`} className="text-accent underline underline-offset-2">
              {say.documents.invoice} (Stripe)
            </a>
          </p>
        )}
        <InvoiceLinks
          purchaseId={id}
          documents={documents.map(({ number, kind }) => ({ number, label: say.documents[kind] }))}
          canCreate={findSeller() !== null && !receipt.invoicedByProcessor}
          hasDetails={details !== null}
          words={{
            create: say.createInvoice,
            details: say.billingDetails,
            enter: say.enterDetails,
            failed: say.invoiceFailed,
          }}
        />
        <p className="mt-6 text-sm text-muted">{say.printNote}</p>
      </article>
    </main>
  );
}
