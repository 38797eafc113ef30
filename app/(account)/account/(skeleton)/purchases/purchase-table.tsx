'use client';

import Link from 'next/link';
import { formatCredits, formatMoney } from '@/app/_ui/amount';
import { Badge, type BadgeLook } from '@/app/_ui/badge';
import { columnsOf, DataTable } from '@/app/_ui/data-table';
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
  status: 'paid' | 'partly_refunded' | 'refunded' | 'disputed';
};

const STATES: Record<PurchaseRow['status'], { look: BadgeLook; word: string }> = {
  paid: { look: 'positive', word: 'Paid' },
  partly_refunded: { look: 'neutral', word: 'Partly refunded' },
  refunded: { look: 'neutral', word: 'Refunded' },
  disputed: { look: 'warning', word: 'Disputed' },
};

const column = columnsOf<PurchaseRow>();

const COLUMNS = [
  column.accessor('at', {
    header: 'Date',
    cell: ({ row: { original: purchase } }) => (
      <>
        <Time at={purchase.at} withClock={false} />
        <span className="block text-[13px] text-muted sm:hidden">{purchase.appName}</span>
        {purchase.status !== 'paid' && (
          <span className="mt-1 block sm:hidden">
            <StateBadge status={purchase.status} />
          </span>
        )}
      </>
    ),
  }),
  column.accessor('appName', { header: 'Bought in' }),
  column.accessor('credits', { header: 'Credits', cell: ({ getValue }) => formatCredits(getValue(), 'en') }),
  column.accessor('amount', {
    header: 'Paid',
    cell: ({ row: { original: purchase } }) => (
      <>
        {formatMoney(purchase.amount, purchase.currency, 'en', { inColumn: true })}
        {purchase.returned > 0 && (
          <span className="block text-[13px] text-muted">
            {formatMoney(purchase.returned, purchase.currency, 'en', { inColumn: true })} returned
          </span>
        )}
      </>
    ),
  }),
  column.accessor('status', {
    header: 'State',
    cell: ({ getValue }) => <StateBadge status={getValue()} />,
  }),
  column.accessor('id', {
    header: () => <span className="sr-only">Receipt</span>,
    cell: ({ row: { original: purchase } }) => (
      <Link
        href={`/account/receipts/${purchase.id}`}
        aria-label={`Receipt of ${formatMoney(purchase.amount, purchase.currency, 'en')}, ${purchase.at.slice(0, 10)}`}
        className={ROW_LINK}
      >
        Receipt
      </Link>
    ),
  }),
];

export function PurchaseTable({ rows }: { rows: PurchaseRow[] }) {
  return (
    <DataTable
      caption="Purchases"
      columns={COLUMNS}
      rows={rows}
      numeric={['credits', 'amount', 'id']}
      hiddenOnPhone={['appName', 'status']}
      empty={null}
    />
  );
}

function StateBadge({ status }: Pick<PurchaseRow, 'status'>) {
  return <Badge look={STATES[status].look}>{STATES[status].word}</Badge>;
}
