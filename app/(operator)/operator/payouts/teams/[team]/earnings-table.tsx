'use client';

import { columnsOf, DataTable } from '@/app/_ui/data-table';
import { EmptyState } from '@/app/_ui/empty-state';
import { AppLink } from '../../../app-link';

export type EarningsRow = {
  partnerId: string;
  name: string;
  payable: string;
  maturing: string;
  paidOut: string;
};

const column = columnsOf<EarningsRow>();

const COLUMNS = [
  column.accessor('name', {
    header: 'App',
    cell: ({ row: { original } }) => <AppLink id={original.partnerId} name={original.name} />,
  }),
  column.accessor('maturing', { header: 'Maturing' }),
  column.accessor('paidOut', { header: 'Paid out' }),
  column.accessor('payable', { header: 'Payable' }),
];

/** What each app of a team has earned. An app below zero lowers the team's next payout. */
export function EarningsTable({ rows }: { rows: EarningsRow[] }) {
  return (
    <DataTable
      caption="Earnings by app"
      columns={COLUMNS}
      rows={rows}
      numeric={['maturing', 'paidOut', 'payable']}
      hiddenOnPhone={['maturing', 'paidOut']}
      empty={<EmptyState title="No apps yet">The apps of this team appear here.</EmptyState>}
    />
  );
}
