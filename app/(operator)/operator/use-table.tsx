'use client';

import Link from 'next/link';
import { columnsOf, DataTable } from '@/app/_ui/data-table';
import { EmptyState } from '@/app/_ui/empty-state';

export type UseRow = {
  name: string;
  href: string | null;
  requests: number;
  /** In USD. */
  charge: number;
  cost: number;
  share: number;
};

const usd = (value: number) =>
  new Intl.NumberFormat('en', { style: 'currency', currency: 'USD' }).format(Math.floor(value * 100) / 100);

/** What was used, by app or by model. */
export function UseTable({ what, rows }: { what: string; rows: UseRow[] }) {
  const column = columnsOf<UseRow>();
  const columns = [
    column.accessor('name', {
      header: what,
      cell: ({ row: { original } }) =>
        original.href ? (
          <Link href={original.href} className="font-medium underline-offset-2 hover:underline">
            {original.name}
          </Link>
        ) : (
          <span className="break-all">{original.name}</span>
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
      caption={`Use by ${what.toLowerCase()}`}
      columns={columns}
      rows={rows}
      sortable
      numeric={['requests', 'charge', 'cost', 'share']}
      hiddenOnPhone={['cost', 'share']}
      empty={<EmptyState title="Nothing was used">There was no request in these days.</EmptyState>}
    />
  );
}
