'use client';

import { inColumn } from '@/app/_ui/amount';
import { columnsOf, DataTable } from '@/app/_ui/data-table';
import { Time } from '@/app/_ui/time';
import { writeMonth } from '../../payout-words';

type ModelRow = { model: string; earned: number; share: number };
/** `step` is a day or a month. */
type TimeRow = { step: string; earned: number; reversed: number; net: number };

const MONTH_LENGTH = '2026-11'.length;

const ofModel = columnsOf<ModelRow>();
const ofTime = columnsOf<TimeRow>();

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

const TIME_COLUMNS = [
  ofTime.accessor('step', {
    header: 'Time',
    cell: ({ getValue }) =>
      getValue().length === MONTH_LENGTH ? (
        writeMonth(getValue())
      ) : (
        <Time at={getValue()} withClock={false} isDay />
      ),
  }),
  ofTime.accessor('earned', { header: 'Earned', cell: ({ getValue }) => inColumn(getValue()) }),
  ofTime.accessor('reversed', {
    header: 'Charged back',
    cell: ({ getValue }) => (getValue() === 0 ? '–' : inColumn(-getValue())),
  }),
  ofTime.accessor('net', { header: 'Net', cell: ({ getValue }) => inColumn(getValue()) }),
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

export function ByTimeTable({ rows }: { rows: TimeRow[] }) {
  return (
    <div className="max-h-[560px] overflow-y-auto">
      <DataTable
        caption="Earnings by time"
        columns={TIME_COLUMNS}
        rows={rows}
        empty={null}
        numeric={['earned', 'reversed', 'net']}
        hiddenOnPhone={['reversed']}
        sortable
      />
    </div>
  );
}
