'use client';

import type { ReactNode } from 'react';
import { inColumn } from '@/app/_ui/amount';
import { columnsOf, DataTable } from '@/app/_ui/data-table';
import { PageLink } from '@/app/_ui/page-link';
import { ROW_LINK } from '@/app/_ui/row-link';
import { Time } from '@/app/_ui/time';
import { countOf } from '@/server/base/count-of';

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
  const requestsLink = (user: string) => (
    <PageLink
      href={`${requestsPath}?period=12m&user=${encodeURIComponent(user)}`}
      className={`font-mono text-[13px] ${ROW_LINK}`}
    >
      {user}
    </PageLink>
  );
  const columns = [
    column.accessor('user', {
      header: 'User',
      cell: ({ row: { original } }) => (
        <div className="max-w-72">
          {requestsLink(original.user)}
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
  const asCard = ({ user, metadata, requests, spent, earned, lastAt }: Row) => (
    <>
      {requestsLink(user)}
      {metadata !== '' && <p className="truncate font-mono text-xs text-muted">{metadata}</p>}
      <p className="mt-1 flex justify-between gap-4 tabular-nums">
        <span>{inColumn(spent)} spent</span>
        <span>{inColumn(earned)} earned</span>
      </p>
      <p className="mt-0.5 flex flex-wrap justify-between gap-x-4 text-[13px] text-muted tabular-nums">
        <span>{countOf(requests, 'request')}</span>
        {lastAt !== null && <Time at={lastAt} />}
      </p>
    </>
  );
  return (
    <DataTable
      card={asCard}
      caption="Users; spent and earned in credits"
      columns={columns}
      rows={rows}
      empty={empty}
      numeric={['requests', 'spent', 'earned']}
      hiddenWhenNarrow={['since']}
    />
  );
}
