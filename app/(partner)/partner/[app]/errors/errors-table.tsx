'use client';

import { columnsOf, DataTable } from '@/app/_ui/data-table';

type Row = { code: string; count: number; status?: number; advice?: string };

const column = columnsOf<Row>();
const count = new Intl.NumberFormat('en');

const COLUMNS = [
  column.accessor('code', {
    header: 'Code',
    cell: ({ getValue }) => <code className="font-mono text-[13px] whitespace-nowrap">{getValue()}</code>,
  }),
  column.accessor('status', { header: 'Status' }),
  column.accessor('count', { header: 'Requests', cell: ({ getValue }) => count.format(getValue()) }),
  column.accessor('advice', {
    header: 'What it means',
    enableSorting: false,
    cell: ({ getValue }) => <span className="text-muted">{getValue()}</span>,
  }),
];

export function ErrorsTable({ rows }: { rows: Row[] }) {
  return (
    <DataTable
      caption="Errors by code"
      columns={COLUMNS}
      rows={rows}
      empty={null}
      numeric={['status', 'count']}
      hiddenOnPhone={['advice', 'status']}
      sortable
    />
  );
}
