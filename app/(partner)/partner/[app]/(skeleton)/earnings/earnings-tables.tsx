'use client';

import { inColumn } from '@/app/_ui/amount';
import { columnsOf, DataTable } from '@/app/_ui/data-table';
import { Time } from '@/app/_ui/time';

type ModelRow = { model: string; earned: number; share: number };
type DayRow = { day: string; earned: number; reversed: number; net: number };

const ofModel = columnsOf<ModelRow>();
const ofDay = columnsOf<DayRow>();

const MODEL_COLUMNS = [
  ofModel.accessor('model', {
    header: 'Model',
    cell: ({ getValue }) => <code className="font-mono text-[13px] wrap-anywhere">{getValue()}</code>,
  }),
  ofModel.accessor('earned', { header: 'Earned', cell: ({ getValue }) => inColumn(getValue()) }),
  ofModel.accessor('share', {
    header: 'Share',
    cell: ({ getValue }) => <span className="whitespace-nowrap">{`${(getValue() * 100).toFixed(1)}%`}</span>,
  }),
];

const DAY_COLUMNS = [
  ofDay.accessor('day', {
    header: 'Day',
    cell: ({ getValue }) => <Time at={getValue()} withClock={false} isDay />,
  }),
  ofDay.accessor('earned', { header: 'Earned', cell: ({ getValue }) => inColumn(getValue()) }),
  ofDay.accessor('reversed', {
    header: 'Charged back',
    cell: ({ getValue }) => (getValue() === 0 ? '–' : inColumn(-getValue())),
  }),
  ofDay.accessor('net', { header: 'Net', cell: ({ getValue }) => inColumn(getValue()) }),
];

export function ByModelTable({ rows }: { rows: ModelRow[] }) {
  return (
    <DataTable
      caption="Earnings by model, in credits"
      columns={MODEL_COLUMNS}
      rows={rows}
      empty={null}
      numeric={['earned', 'share']}
      sortable
    />
  );
}

export function ByDayTable({ rows }: { rows: DayRow[] }) {
  return (
    <div className="max-h-[560px] overflow-y-auto">
      <DataTable
        caption="Earnings by day"
        columns={DAY_COLUMNS}
        rows={rows}
        empty={null}
        numeric={['earned', 'reversed', 'net']}
        hiddenOnPhone={['reversed']}
        sortable
      />
    </div>
  );
}
