'use client';

import { Badge, type BadgeLook } from '@/app/_ui/badge';
import { columnsOf, DataTable } from '@/app/_ui/data-table';
import { PageLink } from '@/app/_ui/page-link';
import { ROW_LINK } from '@/app/_ui/row-link';
import { Time } from '@/app/_ui/time';

export type PayoutRow = {
  href: string;
  period: string;
  amount: string;
  label: string;
  look: BadgeLook;
  at: string;
};

const column = columnsOf<PayoutRow>();

const COLUMNS = [
  column.accessor('period', {
    header: 'Period',
    cell: ({ row: { original } }) => (
      <PageLink href={original.href} className={`whitespace-nowrap ${ROW_LINK}`}>
        {original.period}
      </PageLink>
    ),
  }),
  column.accessor('label', {
    header: 'State',
    cell: ({ row: { original } }) => <Badge look={original.look}>{original.label}</Badge>,
  }),
  column.accessor('at', {
    header: 'Date',
    cell: ({ getValue }) => <Time at={getValue()} withClock={false} />,
  }),
  column.accessor('amount', { header: 'Amount' }),
];

export function PayoutsTable({ rows }: { rows: PayoutRow[] }) {
  return (
    <DataTable
      caption="Payouts, newest first"
      columns={COLUMNS}
      rows={rows}
      empty={null}
      numeric={['amount']}
      hiddenOnPhone={['at']}
    />
  );
}

export type AppRow = { app: string; payable: string; maturing: string; paidOut: string };

const ofApp = columnsOf<AppRow>();

const APP_COLUMNS = [
  ofApp.accessor('app', {
    header: 'App',
    cell: ({ getValue }) => <span className="wrap-anywhere">{getValue()}</span>,
  }),
  ofApp.accessor('payable', { header: 'Payable' }),
  ofApp.accessor('maturing', { header: 'Maturing' }),
  ofApp.accessor('paidOut', { header: 'Paid out' }),
];

export function AppsTable({ rows }: { rows: AppRow[] }) {
  return (
    <DataTable
      caption="Earnings of the team by app"
      columns={APP_COLUMNS}
      rows={rows}
      empty={null}
      numeric={['payable', 'maturing', 'paidOut']}
      hiddenOnPhone={['maturing']}
    />
  );
}
