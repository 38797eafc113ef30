'use client';

import { columnsOf, DataTable } from '@/app/_ui/data-table';
import { EmptyState } from '@/app/_ui/empty-state';
import { AppLink } from './app-link';

export type UsageRow = {
  name: string;
  /** Set where the row is an app. */
  partnerId: string | null;
  requests: number;
  /** In USD. */
  charge: number;
  cost: number;
  share: number;
};

/** Rounded down to the cent. The small step keeps 0.29 from being read as 0.28999…. */
export const usd = (value: number) =>
  new Intl.NumberFormat('en', { style: 'currency', currency: 'USD' }).format(
    Math.floor(value * 100 + 1e-6) / 100,
  );

/** Usage by app or by model. */
export function UsageTable({ what, rows }: { what: string; rows: UsageRow[] }) {
  const column = columnsOf<UsageRow>();
  const columns = [
    column.accessor('name', {
      header: what,
      cell: ({ row: { original } }) =>
        original.partnerId === null ? (
          <span className="wrap-anywhere">{original.name}</span>
        ) : (
          <AppLink id={original.partnerId} name={original.name} />
        ),
    }),
    column.accessor('requests', {
      header: 'Requests',
      cell: ({ getValue }) => new Intl.NumberFormat('en').format(getValue()),
    }),
    column.accessor('charge', { header: 'Charged', cell: ({ getValue }) => usd(getValue()) }),
    column.accessor('cost', { header: 'Provider cost', cell: ({ getValue }) => usd(getValue()) }),
    column.accessor('share', { header: 'Commission', cell: ({ getValue }) => usd(getValue()) }),
  ];
  return (
    <DataTable
      caption={`Usage by ${what.toLowerCase()}`}
      columns={columns}
      rows={rows}
      sortable
      numeric={['requests', 'charge', 'cost', 'share']}
      hiddenOnPhone={['cost', 'share']}
      empty={<EmptyState title="No usage">There were no requests in this period.</EmptyState>}
    />
  );
}
