'use client';

import { Badge } from '@/app/_ui/badge';
import { columnsOf, DataTable } from '@/app/_ui/data-table';
import { EmptyState } from '@/app/_ui/empty-state';
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
  status: string;
};

const STATES: Record<string, ['neutral' | 'positive' | 'warning' | 'danger', string]> = {
  paid: ['positive', 'Paid'],
  partly_refunded: ['warning', 'Partly refunded'],
  refunded: ['neutral', 'Refunded'],
  disputed: ['danger', 'Disputed'],
};

export function PurchaseTable({ userRef, rows }: { userRef: string; rows: Row[] }) {
  const column = columnsOf<Row>();
  const columns = [
    column.accessor('at', {
      header: 'When',
      cell: ({ getValue }) => <Time at={getValue()} withClock={false} />,
    }),
    column.accessor('appName', { header: 'App' }),
    column.accessor('status', {
      header: 'State',
      cell: ({ getValue }) => {
        const [look, text] = STATES[getValue()] ?? ['neutral', getValue()];
        return <Badge look={look}>{text}</Badge>;
      },
    }),
    column.accessor('amountMinor', {
      header: 'Paid',
      cell: ({ row: { original } }) =>
        new Intl.NumberFormat('en', { style: 'currency', currency: original.currency.toUpperCase() }).format(
          original.amountMinor / 100,
        ),
    }),
    column.accessor('credits', { header: 'Credits' }),
    column.display({
      id: 'refund',
      header: () => <span className="sr-only">Refund</span>,
      cell: ({ row: { original } }) =>
        original.refundedMinor < original.amountMinor && original.status !== 'disputed' ? (
          <RefundButton userRef={userRef} purchase={original} />
        ) : null,
    }),
  ];
  return (
    <DataTable
      caption="Purchases of the user"
      columns={columns}
      rows={rows}
      numeric={['amountMinor', 'credits', 'refund']}
      hiddenOnPhone={['appName', 'credits']}
      empty={<EmptyState title="No purchase yet">This user has not bought credits.</EmptyState>}
    />
  );
}
