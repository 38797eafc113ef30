'use client';

import { ReceiptLink } from '@/app/_requests/receipt-link';
import { writeCharge } from '@/app/_ui/amount';
import { columnsOf, DataTable } from '@/app/_ui/data-table';
import { PageLink } from '@/app/_ui/page-link';
import { ROW_LINK } from '@/app/_ui/row-link';

export type SumRow = {
  name: string;
  /** The page of the app or user; null for a model. */
  href: string | null;
  requests: number;
  /** In credits. */
  overrun: number;
};

/** Overruns by model, app or user, largest first. */
export function SumTable({ what, rows }: { what: 'Model' | 'App' | 'User'; rows: SumRow[] }) {
  const column = columnsOf<SumRow>();
  const columns = [
    column.accessor('name', {
      header: what,
      cell: ({ row: { original } }) =>
        original.href === null ? (
          <span className="wrap-anywhere">{original.name}</span>
        ) : (
          <PageLink href={original.href} className={`font-medium wrap-anywhere ${ROW_LINK}`}>
            {original.name}
          </PageLink>
        ),
    }),
    column.accessor('requests', {
      header: 'Requests',
      cell: ({ getValue }) => new Intl.NumberFormat('en').format(getValue()),
    }),
    column.accessor('overrun', { header: 'Overrun', cell: ({ getValue }) => writeCharge(getValue()) }),
  ];
  return (
    <DataTable
      caption={`Overruns by ${what.toLowerCase()}`}
      columns={columns}
      rows={rows}
      sortable
      numeric={['requests', 'overrun']}
      empty={null}
    />
  );
}

export type LossRow = {
  reason: string;
  requests: number;
  /** In credits. */
  cost: number;
  /** The part of the cost that is an estimate. */
  estimated: number;
};

/** Calls that nobody was charged for, by reason, largest first. */
export function LossTable({ rows }: { rows: LossRow[] }) {
  const column = columnsOf<LossRow>();
  const columns = [
    column.accessor('reason', { header: 'Reason' }),
    column.accessor('requests', {
      header: 'Requests',
      cell: ({ getValue }) => new Intl.NumberFormat('en').format(getValue()),
    }),
    column.accessor('cost', { header: 'Provider cost', cell: ({ getValue }) => writeCharge(getValue()) }),
    column.accessor('estimated', { header: 'Estimated', cell: ({ getValue }) => writeCharge(getValue()) }),
  ];
  return (
    <DataTable
      caption="Calls without a charge by reason"
      columns={columns}
      rows={rows}
      sortable
      numeric={['requests', 'cost', 'estimated']}
      hiddenOnPhone={['estimated']}
      empty={null}
    />
  );
}

export type OverrunRow = {
  href: string;
  at: string;
  model: string;
  appName: string;
  /** In credits. */
  held: number;
  cost: number;
  overrun: number;
};

/** The latest requests with an overrun. Each row links to its receipt. */
export function LatestTable({ rows }: { rows: OverrunRow[] }) {
  const column = columnsOf<OverrunRow>();
  const columns = [
    column.accessor('at', {
      header: 'Time',
      cell: ({ row: { original } }) => <ReceiptLink {...original} />,
    }),
    column.accessor('model', { header: 'Model' }),
    column.accessor('appName', { header: 'App' }),
    column.accessor('held', { header: 'Held', cell: ({ getValue }) => writeCharge(getValue()) }),
    column.accessor('cost', { header: 'Provider cost', cell: ({ getValue }) => writeCharge(getValue()) }),
    column.accessor('overrun', { header: 'Overrun', cell: ({ getValue }) => writeCharge(getValue()) }),
  ];
  return (
    <DataTable
      caption="Requests with an overrun, newest first"
      columns={columns}
      rows={rows}
      numeric={['held', 'cost', 'overrun']}
      hiddenOnPhone={['model', 'appName', 'held', 'cost']}
      empty={null}
    />
  );
}
