'use client';

import { inColumn } from '@/app/_ui/amount';
import { columnsOf, DataTable } from '@/app/_ui/data-table';
import { Time } from '@/app/_ui/time';

type Sums = { requests: number; earned: number; reversed: number };
type AppRow = {
  app: string;
  carriedBefore: number;
  earned: number;
  reversed: number;
  carriedAfter: number;
  amount: number;
};
type ModelRow = Sums & {
  model: string;
  /** Of the model that earned most, from 0 to 1. */
  part: number;
};
type DayRow = Sums & { day: string; net: number };

const ofApp = columnsOf<AppRow>();
const ofModel = columnsOf<ModelRow>();
const ofDay = columnsOf<DayRow>();

const inCell = ({ getValue }: { getValue: () => number }) => inColumn(getValue());
const orDash = ({ getValue }: { getValue: () => number }) => (getValue() === 0 ? '–' : inColumn(getValue()));
const count = ({ getValue }: { getValue: () => number }) => getValue().toLocaleString('en');

const APP_COLUMNS = [
  ofApp.accessor('app', {
    header: 'App',
    cell: ({ getValue }) => <span className="wrap-anywhere">{getValue()}</span>,
  }),
  ofApp.accessor('carriedBefore', { header: 'Carried over', cell: orDash }),
  ofApp.accessor('earned', { header: 'Earned', cell: inCell }),
  ofApp.accessor('reversed', { header: 'Reversed', cell: orDash }),
  ofApp.accessor('carriedAfter', { header: 'Carried forward', cell: orDash }),
  ofApp.accessor('amount', { header: 'Amount', cell: inCell }),
];

const MODEL_COLUMNS = [
  ofModel.accessor('model', {
    header: 'Model',
    cell: ({ row: { original } }) => (
      <>
        <code className="font-mono text-[13px] wrap-anywhere">{original.model}</code>
        <svg aria-hidden="true" width="100%" height="4" className="mt-1.5 block min-w-24">
          <rect width={`${original.part * 100}%`} height="4" rx="2" fill="var(--series-1)" />
        </svg>
      </>
    ),
  }),
  ofModel.accessor('requests', { header: 'Requests', cell: count }),
  ofModel.accessor('earned', { header: 'Earned', cell: inCell }),
  ofModel.accessor('reversed', { header: 'Reversed', cell: orDash }),
];

const DAY_COLUMNS = [
  ofDay.accessor('day', {
    header: 'Day',
    cell: ({ getValue }) => <Time at={getValue()} withClock={false} isDay />,
  }),
  ofDay.accessor('requests', { header: 'Requests', cell: count }),
  ofDay.accessor('earned', { header: 'Earned', cell: inCell }),
  ofDay.accessor('reversed', { header: 'Reversed', cell: orDash }),
  ofDay.accessor('net', { header: 'Net', cell: inCell }),
];

export function ByAppTable({ rows }: { rows: AppRow[] }) {
  return (
    <DataTable
      caption="This payout by app, in credits"
      columns={APP_COLUMNS}
      rows={rows}
      empty={null}
      numeric={['carriedBefore', 'earned', 'reversed', 'carriedAfter', 'amount']}
      card={(row) => (
        <>
          <p className="flex justify-between gap-3 font-medium">
            <span className="wrap-anywhere">{row.app}</span>
            <span className="tabular-nums">{inColumn(row.amount)}</span>
          </p>
          <p className="mt-1 text-[13px] text-muted tabular-nums">
            Earned {inColumn(row.earned)} · reversed {inColumn(row.reversed)} · carried over{' '}
            {inColumn(row.carriedBefore)} · carried forward {inColumn(row.carriedAfter)}
          </p>
        </>
      )}
    />
  );
}

export function ByModelTable({ rows }: { rows: ModelRow[] }) {
  return (
    <DataTable
      caption="This payout by model, in credits"
      columns={MODEL_COLUMNS}
      rows={rows}
      empty={null}
      numeric={['requests', 'earned', 'reversed']}
      hiddenOnPhone={['requests', 'reversed']}
      sortable
    />
  );
}

export function ByDayTable({ rows }: { rows: DayRow[] }) {
  return (
    <DataTable
      caption="This payout by day, in credits"
      columns={DAY_COLUMNS}
      rows={rows}
      empty={null}
      numeric={['requests', 'earned', 'reversed', 'net']}
      hiddenOnPhone={['requests', 'reversed']}
      sortable
    />
  );
}
