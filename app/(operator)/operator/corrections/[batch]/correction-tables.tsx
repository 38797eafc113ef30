'use client';

import { ReceiptLink } from '@/app/_requests/receipt-link';
import { writeCharge } from '@/app/_ui/amount';
import { columnsOf, DataTable } from '@/app/_ui/data-table';
import { PageLink } from '@/app/_ui/page-link';
import { ROW_LINK } from '@/app/_ui/row-link';
import type { AppRow, CorrectionRow } from '../correction-rows';

const count = new Intl.NumberFormat('en');
const appColumn = columnsOf<AppRow>();

const APP_COLUMNS = [
  appColumn.accessor('name', {
    header: 'App',
    cell: ({ row: { original } }) => (
      <PageLink
        href={`/operator/apps/${original.partnerId}`}
        className={`font-medium wrap-anywhere ${ROW_LINK}`}
      >
        {original.name}
      </PageLink>
    ),
  }),
  appColumn.accessor('users', { header: 'Users', cell: ({ getValue }) => count.format(getValue()) }),
  appColumn.accessor('requests', { header: 'Requests', cell: ({ getValue }) => count.format(getValue()) }),
  appColumn.accessor('credits', { header: 'Back', cell: ({ getValue }) => writeCharge(getValue()) }),
];

export function AppTable({ rows }: { rows: AppRow[] }) {
  return (
    <DataTable
      caption="Corrections by app"
      columns={APP_COLUMNS}
      rows={rows}
      sortable
      numeric={['users', 'requests', 'credits']}
      empty={null}
    />
  );
}

const column = columnsOf<CorrectionRow>();

const COLUMNS = [
  column.accessor('at', {
    header: 'Time',
    cell: ({ row: { original } }) => <ReceiptLink {...original} />,
  }),
  column.accessor('model', { header: 'Model' }),
  column.accessor('appName', { header: 'App' }),
  column.accessor('charged', { header: 'Charged', cell: ({ getValue }) => writeCharge(getValue()) }),
  column.accessor('due', { header: 'By the rules', cell: ({ getValue }) => writeCharge(getValue()) }),
  column.accessor('credits', { header: 'Back', cell: ({ getValue }) => writeCharge(getValue()) }),
];

/** The requests of a batch. Each row links to its receipt. */
export function CorrectionTable({ rows }: { rows: CorrectionRow[] }) {
  return (
    <DataTable
      caption="Corrected requests"
      columns={COLUMNS}
      rows={rows}
      numeric={['charged', 'due', 'credits']}
      hiddenOnPhone={['model', 'appName', 'charged', 'due']}
      hiddenWhenNarrow={['due']}
      empty={null}
    />
  );
}
