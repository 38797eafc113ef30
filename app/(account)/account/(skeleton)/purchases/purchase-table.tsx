'use client';

import { formatCredits, formatMoney, inColumn } from '@/app/_ui/amount';
import { columnsOf, DataTable } from '@/app/_ui/data-table';
import { DocumentLinks, type ShownDocument } from '@/app/_ui/document-links';
import { PageLink } from '@/app/_ui/page-link';
import { PurchaseState, type PurchaseStatus } from '@/app/_ui/purchase-state';
import { ROW_LINK } from '@/app/_ui/row-link';
import { Time } from '@/app/_ui/time';

export type PurchaseRow = {
  id: string;
  at: string;
  appName: string;
  amount: number;
  currency: string;
  credits: number;
  returned: number;
  status: PurchaseStatus;
  documents: ShownDocument[];
};

const column = columnsOf<PurchaseRow>();

const DOCUMENTS = column.accessor('documents', {
  header: 'Invoice',
  cell: ({ getValue }) => <DocumentLinks documents={getValue()} folder="/account/invoices" />,
});

const COLUMNS = [
  column.accessor('at', {
    header: 'Date',
    cell: ({ getValue }) => <Time at={getValue()} withClock={false} />,
  }),
  column.accessor('appName', { header: 'Bought in' }),
  column.accessor('credits', { header: 'Credits', cell: ({ getValue }) => inColumn(getValue()) }),
  column.accessor('amount', { header: 'Paid', cell: ({ row: { original } }) => <Paid {...original} /> }),
  column.accessor('status', {
    header: 'Status',
    cell: ({ getValue }) => <PurchaseState status={getValue()} />,
  }),
  DOCUMENTS,
  column.accessor('id', {
    header: () => <span className="sr-only">Receipt</span>,
    cell: ({ row: { original } }) => <ReceiptLink {...original} />,
  }),
];

export function PurchaseTable({ rows }: { rows: PurchaseRow[] }) {
  const hasInvoices = rows.some(({ documents }) => documents.length > 0);
  return (
    <DataTable
      caption="Purchases"
      columns={hasInvoices ? COLUMNS : COLUMNS.filter((shown) => shown !== DOCUMENTS)}
      rows={rows}
      numeric={['credits', 'amount', 'id']}
      card={(purchase) => <Card {...purchase} />}
      empty={null}
    />
  );
}

function Card(purchase: PurchaseRow) {
  return (
    <div className="flex justify-between gap-4">
      <div className="min-w-0">
        <p className="font-medium">
          <Time at={purchase.at} withClock={false} />
        </p>
        <p className="mt-0.5 wrap-anywhere text-muted">{purchase.appName}</p>
        <p className="mt-1.5">
          <PurchaseState status={purchase.status} />
        </p>
        <div className="mt-1.5">
          <DocumentLinks documents={purchase.documents} folder="/account/invoices" />
        </div>
      </div>
      <div className="shrink-0 text-right tabular-nums">
        <p className="font-medium">
          <Paid {...purchase} />
        </p>
        <p className="mt-0.5 text-muted">{formatCredits(purchase.credits, 'en')} credits</p>
        <p className="mt-1.5 leading-6">
          <ReceiptLink {...purchase} />
        </p>
      </div>
    </div>
  );
}

function Paid({ amount, currency, returned }: PurchaseRow) {
  return (
    <>
      {formatMoney(amount, currency, 'en', { inColumn: true })}
      {returned > 0 && (
        <span className="block text-[13px] font-normal text-muted">
          {formatMoney(returned, currency, 'en', { inColumn: true })} refunded
        </span>
      )}
    </>
  );
}

function ReceiptLink({ id, at, amount, currency }: PurchaseRow) {
  return (
    <PageLink
      href={`/account/receipts/${id}`}
      aria-label={`Receipt for ${formatMoney(amount, currency, 'en')}, ${at.slice(0, 10)}`}
      className={`-my-1 inline-block py-1 ${ROW_LINK}`}
    >
      Receipt
    </PageLink>
  );
}
