'use client';

import { columnsOf, DataTable } from '@/app/_ui/data-table';

type Row = {
  code: string;
  count: number;
  /** Null if unknown. */
  firstRequestId: string | null;
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
    cell: ({ getValue }) => <code className="font-mono text-[13px] break-all">{getValue() ?? '–'}</code>,
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
        First request: <code className="font-mono wrap-anywhere">{row.firstRequestId}</code>
      </p>
    )}
  </>
);

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
