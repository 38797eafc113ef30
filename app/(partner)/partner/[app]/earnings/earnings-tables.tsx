'use client';

import { formatCredits } from '@/app/_ui/amount';
import { columnsOf, DataTable } from '@/app/_ui/data-table';

type ModelRow = { model: string; earned: number; share: number };
type DayRow = { day: string; earned: number; reversed: number; net: number };

const ofModel = columnsOf<ModelRow>();
const ofDay = columnsOf<DayRow>();
const credits = (value: number) => formatCredits(value, 'en');

const MODEL_COLUMNS = [
  ofModel.accessor('model', {
    header: 'Model',
    cell: ({ getValue }) => <code className="font-mono text-[13px]">{getValue()}</code>,
  }),
  ofModel.accessor('earned', { header: 'Credits earned', cell: ({ getValue }) => credits(getValue()) }),
  ofModel.accessor('share', {
    header: 'Share',
    cell: ({ getValue }) => `${(getValue() * 100).toFixed(1)} %`,
  }),
];

const DAY_COLUMNS = [
  ofDay.accessor('day', {
    header: 'Day',
    cell: ({ getValue }) => <span className="whitespace-nowrap tabular-nums">{getValue()}</span>,
  }),
  ofDay.accessor('earned', { header: 'Earned', cell: ({ getValue }) => credits(getValue()) }),
  ofDay.accessor('reversed', {
    header: 'Charged back',
    cell: ({ getValue }) => (getValue() === 0 ? '–' : credits(-getValue())),
  }),
  ofDay.accessor('net', { header: 'Credits', cell: ({ getValue }) => credits(getValue()) }),
];

export function ByModelTable({ rows }: { rows: ModelRow[] }) {
  return (
    <DataTable
      caption="Earnings by model"
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
