'use client';

import { columnsOf, DataTable } from '@/app/_ui/data-table';
import { AppLink } from '../app-link';

export type LineRow = {
  partnerId: string;
  name: string;
  amount: string;
  carriedBefore: string;
  carriedAfter: string;
};

const column = columnsOf<LineRow>();

const COLUMNS = [
  column.accessor('name', {
    header: 'App',
    cell: ({ row: { original } }) => <AppLink id={original.partnerId} name={original.name} />,
  }),
  column.accessor('carriedBefore', { header: 'Carried over' }),
  column.accessor('carriedAfter', { header: 'Carried to the next' }),
  column.accessor('amount', { header: 'Amount' }),
];

/** What a payout consists of, by app. */
export function LineTable({ rows }: { rows: LineRow[] }) {
  return (
    <DataTable
      caption="The payout by app"
      columns={COLUMNS}
      rows={rows}
      numeric={['carriedBefore', 'carriedAfter', 'amount']}
      hiddenOnPhone={['carriedBefore', 'carriedAfter']}
      empty={null}
    />
  );
}
