'use client';

import Link from 'next/link';
import type { ReactNode } from 'react';
import { columnsOf, DataTable } from '@/app/_ui/data-table';
import { Time } from '@/app/_ui/time';
import { inColumn } from '../small-credits';

type Row = {
  user: string;
  /** JSON, or empty. */
  metadata: string;
  since: string;
  lastAt: string | null;
  requests: number;
  spent: number;
  earned: number;
};

const column = columnsOf<Row>();
const count = new Intl.NumberFormat('en');

export function UsersTable({
  requestsPath,
  rows,
  empty,
}: {
  requestsPath: string;
  rows: Row[];
  empty: ReactNode;
}) {
  const columns = [
    column.accessor('user', {
      header: 'User',
      cell: ({ row: { original } }) => (
        <div className="max-w-72">
          <Link
            href={`${requestsPath}?period=12m&user=${encodeURIComponent(original.user)}`}
            className="font-mono text-[13px] underline-offset-2 hover:underline"
          >
            {original.user}
          </Link>
          {original.metadata !== '' && (
            <p className="mt-0.5 truncate font-mono text-xs text-muted" title={original.metadata}>
              {original.metadata}
            </p>
          )}
        </div>
      ),
    }),
    column.accessor('requests', { header: 'Requests', cell: ({ getValue }) => count.format(getValue()) }),
    column.accessor('spent', { header: 'Spent', cell: ({ getValue }) => inColumn(getValue()) }),
    column.accessor('earned', { header: 'Earned', cell: ({ getValue }) => inColumn(getValue()) }),
    column.accessor('lastAt', {
      header: 'Last request',
      cell: ({ row: { original } }) =>
        original.lastAt === null ? (
          <span className="whitespace-nowrap text-muted">None yet</span>
        ) : (
          <Time at={original.lastAt} />
        ),
    }),
    column.accessor('since', {
      header: 'User since',
      cell: ({ getValue }) => <Time at={getValue()} withClock={false} />,
    }),
  ];
  return (
    <DataTable
      caption="Users, newest first; spent and earned in credits"
      columns={columns}
      rows={rows}
      empty={empty}
      numeric={['requests', 'spent', 'earned']}
      hiddenOnPhone={['requests', 'lastAt', 'since']}
    />
  );
}
