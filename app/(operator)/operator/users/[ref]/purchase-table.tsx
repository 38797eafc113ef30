'use client';

import { formatMoney } from '@/app/_ui/amount';
import { columnsOf, DataTable } from '@/app/_ui/data-table';
import { DocumentLinks, type ShownDocument } from '@/app/_ui/document-links';
import { EmptyState } from '@/app/_ui/empty-state';
import { PurchaseState, type PurchaseStatus } from '@/app/_ui/purchase-state';
import { Time } from '@/app/_ui/time';
import { RefundButton } from './refund-button';

type Row = {
  id: string;
  at: string;
  appName: string;
  currency: string;
  amountMinor: number;
  refundedMinor: number;
  credits: string;
  status: PurchaseStatus;
  documents: ShownDocument[];
};

export function PurchaseTable({ userRef, rows }: { userRef: string; rows: Row[] }) {
  const refundOf = (row: Row) =>
    row.refundedMinor < row.amountMinor && row.status !== 'disputed' ? (
      <RefundButton userRef={userRef} purchase={row} />
    ) : null;
  const asCard = (row: Row) => (
    <div className="flex items-center justify-between gap-4">
      <div className="min-w-0">
        <p className="flex flex-wrap items-center gap-2">
          <span className="font-medium tabular-nums">{paidOf(row)}</span>
          <PurchaseState status={row.status} />
        </p>
        <Refunded {...row} />
        <p className="mt-1 text-[13px] wrap-anywhere text-muted">
          {row.credits} credits in {row.appName}
        </p>
        <p className="text-[13px] text-muted">
          <Time at={row.at} withClock={false} />
        </p>
        <Documents {...row} />
      </div>
      {refundOf(row)}
    </div>
  );
  const column = columnsOf<Row>();
  const columns = [
    column.accessor('at', {
      header: 'Date',
      cell: ({ getValue }) => <Time at={getValue()} withClock={false} />,
    }),
    column.accessor('appName', { header: 'App' }),
    column.accessor('status', {
      header: 'Status',
      cell: ({ getValue }) => <PurchaseState status={getValue()} />,
    }),
    column.accessor('amountMinor', {
      header: 'Paid',
      cell: ({ row: { original } }) => (
        <>
          {paidOf(original)}
          <Refunded {...original} />
        </>
      ),
    }),
    column.accessor('credits', { header: 'Credits' }),
    column.accessor('documents', {
      header: 'Invoice',
      cell: ({ row: { original } }) => <Documents {...original} />,
    }),
    column.display({
      id: 'refund',
      header: () => <span className="sr-only">Refund</span>,
      cell: ({ row: { original } }) => refundOf(original),
    }),
  ];
  return (
    <DataTable
      caption="The user’s purchases"
      columns={columns}
      rows={rows}
      numeric={['amountMinor', 'credits', 'refund']}
      card={asCard}
      empty={<EmptyState title="No purchases yet">This user has not bought any credits.</EmptyState>}
    />
  );
}

const Documents = ({ documents }: Row) => <DocumentLinks documents={documents} folder="/operator/invoices" />;

function Refunded({ refundedMinor, currency }: Row) {
  if (refundedMinor === 0) return null;
  return (
    <span className="block text-[13px] font-normal text-muted">
      {formatMoney(refundedMinor / 100, currency, 'en', { inColumn: true })} refunded
    </span>
  );
}

const paidOf = ({ amountMinor, currency }: Row): string =>
  formatMoney(amountMinor / 100, currency, 'en', { inColumn: true });
