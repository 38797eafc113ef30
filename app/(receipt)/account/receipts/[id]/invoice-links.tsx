'use client';

import { Button } from '@/app/_ui/button';
import { useAction } from '@/app/_ui/use-action';
import { createInvoice } from '@/app/(account)/account/(skeleton)/billing/actions';

type Props = {
  purchaseId: string;
  documents: { number: string; label: string }[];
  canCreate: boolean;
  hasDetails: boolean;
  words: { create: string; details: string; enter: string; failed: string };
};

/** The documents of a purchase, or how to get the invoice. */
export function InvoiceLinks({ purchaseId, documents, canCreate, hasDetails, words }: Props) {
  const { run, isRunning, failure } = useAction(createInvoice);
  const link = 'text-accent underline underline-offset-2';
  return (
    <div id="invoice" className="mt-4 flex flex-wrap items-center gap-x-5 gap-y-2 print:hidden">
      {documents.map(({ number, label }) => (
        <a key={number} href={`/account/invoices/${number}.pdf`} className={link}>
          {label} {number} (PDF)
        </a>
      ))}
      {documents.length === 0 && canCreate && hasDetails && (
        <Button look="secondary" busy={isRunning} onClick={() => run({ purchaseId })}>
          {words.create}
        </Button>
      )}
      {documents.length === 0 && canCreate && (
        <a href="/account/billing" className={link}>
          {hasDetails ? words.details : words.enter}
        </a>
      )}
      {failure && <p className="text-sm text-danger">{words.failed}</p>}
    </div>
  );
}
