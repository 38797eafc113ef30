'use client';

import { ReceiptLink } from '@/app/_requests/receipt-link';
import { writeCharge } from '@/app/_ui/amount';
import { columnsOf, DataTable } from '@/app/_ui/data-table';

/** Amounts are in credits. */
export type CorrectedRow = {
  requestId: string;
  at: string;
  model: string;
  appName: string;
  charged: number;
  credits: number;
};

const column = columnsOf<CorrectedRow>();

const COLUMNS = [
  column.accessor('at', {
    header: 'Time',
    cell: ({ row: { original } }) => (
      <ReceiptLink {...original} href={`/account/activity/${original.requestId}`} />
    ),
  }),
  column.accessor('model', { header: 'Model' }),
  column.accessor('appName', { header: 'App' }),
  column.accessor('charged', { header: 'Charged', cell: ({ getValue }) => writeCharge(getValue()) }),
  column.accessor('credits', { header: 'Back', cell: ({ getValue }) => `+${writeCharge(getValue())}` }),
];

/** Each row links to its receipt. */
export function CorrectedTable({ rows }: { rows: CorrectedRow[] }) {
  return (
    <DataTable
      caption="Corrected requests, newest first"
      columns={COLUMNS}
      rows={rows}
      numeric={['charged', 'credits']}
      hiddenOnPhone={['model', 'appName']}
      empty={null}
    />
  );
}
