'use client';

import { columnsOf, DataTable } from '@/app/_ui/data-table';
import { PageLink } from '@/app/_ui/page-link';
import { ROW_LINK } from '@/app/_ui/row-link';

type Row = {
  code: string;
  count: number;
  /** Null if unknown. */
  firstRequestId: string | null;
  /** The page of that request. */
  href: string;
  status?: number;
  advice?: string;
};

const column = columnsOf<Row>();
const count = new Intl.NumberFormat('en');

const COLUMNS = [
  column.accessor('code', {
    header: 'Code',
    cell: ({ getValue }) => <code className="font-mono text-[13px] whitespace-nowrap">{getValue()}</code>,
  }),
  column.accessor('status', { header: 'Status' }),
  column.accessor('count', { header: 'Requests', cell: ({ getValue }) => count.format(getValue()) }),
  column.accessor('firstRequestId', {
    header: 'First request',
    enableSorting: false,
    cell: ({ row: { original } }) => <FirstRequest {...original} />,
  }),
  column.accessor('advice', {
    header: 'Meaning',
    enableSorting: false,
    cell: ({ getValue }) => <span className="text-muted">{getValue()}</span>,
  }),
];

const asCard = (row: Row) => (
  <>
    <p className="flex items-baseline justify-between gap-4">
      <code className="font-mono text-[13px] wrap-anywhere">{row.code}</code>
      <span className="tabular-nums">{count.format(row.count)}</span>
    </p>
    <p className="mt-1 text-[13px] text-muted">{row.advice}</p>
    {row.firstRequestId !== null && (
      <p className="mt-1 text-[13px] text-muted">
        First request: <FirstRequest {...row} />
      </p>
    )}
  </>
);

function FirstRequest({ firstRequestId, href }: Pick<Row, 'firstRequestId' | 'href'>) {
  if (firstRequestId === null) return '–';
  return (
    <PageLink href={href} className={`font-mono text-[13px] break-all ${ROW_LINK}`}>
      {firstRequestId}
    </PageLink>
  );
}

export function ErrorsTable({ rows }: { rows: Row[] }) {
  return (
    <DataTable
      caption="Errors by code"
      columns={COLUMNS}
      rows={rows}
      empty={null}
      numeric={['status', 'count']}
      sortable
      card={asCard}
    />
  );
}
