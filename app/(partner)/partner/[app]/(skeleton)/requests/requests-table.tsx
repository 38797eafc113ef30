'use client';

import type { ReactNode } from 'react';
import { writeCharge } from '@/app/_ui/amount';
import { Badge } from '@/app/_ui/badge';
import { columnsOf, DataTable } from '@/app/_ui/data-table';
import { PageLink } from '@/app/_ui/page-link';
import { ROW_LINK } from '@/app/_ui/row-link';
import { Time } from '@/app/_ui/time';

type Row = {
  requestId: string;
  at: string;
  user: string;
  model: string;
  inputTokens: number;
  outputTokens: number;
  charge: number;
  commission: number;
  estimated: boolean;
  outcome: 'completed' | 'failed' | 'aborted' | 'refused';
};

const column = columnsOf<Row>();
const count = new Intl.NumberFormat('en');
const SHOWN_ID_CHARACTERS = 11;

export function RequestsTable({ path, rows, empty }: { path: string; rows: Row[]; empty: ReactNode }) {
  const userLink = (user: string) => (
    <PageLink
      href={`${path}?user=${encodeURIComponent(user)}`}
      title={user}
      className={`-my-1 inline-block py-1 font-mono text-[13px] whitespace-nowrap ${ROW_LINK}`}
    >
      {user.slice(0, SHOWN_ID_CHARACTERS)}…
    </PageLink>
  );
  const requestLink = (id: string) => (
    <PageLink
      href={`${path}/${id}`}
      className={`block w-fit py-0.5 font-mono text-xs text-muted ${ROW_LINK}`}
    >
      {id}
    </PageLink>
  );
  const columns = [
    column.accessor('at', {
      header: 'Request',
      cell: ({ row: { original } }) => (
        <>
          <Time at={original.at} />
          {requestLink(original.requestId)}
        </>
      ),
    }),
    column.accessor('user', {
      header: 'User',
      cell: ({ getValue }) => userLink(getValue()),
    }),
    column.accessor('model', {
      header: 'Model',
      cell: ({ row: { original } }) => (
        <span className="flex flex-wrap items-center gap-x-2 gap-y-1">
          <span className="whitespace-nowrap">{original.model}</span>
          <Outcome {...original} />
        </span>
      ),
    }),
    column.accessor('inputTokens', { header: 'Tokens in', cell: ({ getValue }) => count.format(getValue()) }),
    column.accessor('outputTokens', {
      header: 'Tokens out',
      cell: ({ getValue }) => count.format(getValue()),
    }),
    column.accessor('charge', { header: 'Paid', cell: ({ getValue }) => writeCharge(getValue()) }),
    column.accessor('commission', { header: 'Earned', cell: ({ getValue }) => writeCharge(getValue()) }),
  ];
  const asCard = (row: Row) => (
    <>
      <p className="flex items-baseline justify-between gap-4">
        <span className="font-medium wrap-anywhere">{row.model}</span>
        <span className="whitespace-nowrap tabular-nums">{writeCharge(row.charge)} credits</span>
      </p>
      <p className="mt-0.5 flex items-baseline justify-between gap-4 text-[13px] text-muted">
        <Time at={row.at} />
        <span className="tabular-nums">{writeCharge(row.commission)} earned</span>
      </p>
      <p className="mt-1 flex flex-wrap items-center justify-between gap-x-4 gap-y-1 text-[13px] text-muted">
        {userLink(row.user)}
        {requestLink(row.requestId)}
        <span className="flex gap-2">
          <Outcome {...row} />
        </span>
      </p>
    </>
  );
  return (
    <DataTable
      card={asCard}
      caption="Requests, newest first; cost and earnings in credits"
      columns={columns}
      rows={rows}
      empty={empty}
      numeric={['inputTokens', 'outputTokens', 'charge', 'commission']}
      hiddenWhenNarrow={['inputTokens', 'outputTokens']}
    />
  );
}

const OUTCOMES: Readonly<Record<string, string>> = { aborted: 'Stopped early', refused: 'Refused' };

function Outcome({ outcome, estimated }: Pick<Row, 'outcome' | 'estimated'>) {
  return (
    <>
      {outcome !== 'completed' && <Badge look="warning">{OUTCOMES[outcome] ?? 'Failed'}</Badge>}
      {estimated && <Badge>Estimated</Badge>}
    </>
  );
}
