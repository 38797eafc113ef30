'use client';

import { inColumn } from '@/app/_ui/amount';
import { columnsOf, DataTable } from '@/app/_ui/data-table';
import { Time } from '@/app/_ui/time';

export type RunRow = {
  id: string;
  keyId: string | null;
  keyName: string | null;
  spent: number;
  credits: number | null;
  used: number;
  lastAt: string;
};

const column = columnsOf<RunRow>();
const COUNT = new Intl.NumberFormat('en');

const columns = [
  column.accessor('id', {
    header: 'Run',
    cell: ({ row: { original: run } }) => (
      <span className="block max-w-60">
        <span className="block font-medium wrap-anywhere">{run.id}</span>
        {run.keyName !== null && (
          <span className="block text-[13px] text-muted wrap-anywhere" title={run.keyId ?? undefined}>
            with {run.keyName}
          </span>
        )}
      </span>
    ),
  }),
  column.accessor('spent', {
    header: 'Spent',
    cell: ({ row: { original: run } }) => (
      <>
        {inColumn(run.spent)}
        {run.credits !== null && (
          <span className="block text-[13px] whitespace-nowrap text-muted">of {inColumn(run.credits)}</span>
        )}
      </>
    ),
  }),
  column.accessor('used', { header: 'Requests', cell: ({ getValue }) => COUNT.format(getValue()) }),
  column.accessor('lastAt', { header: 'Last request', cell: ({ getValue }) => <Time at={getValue()} /> }),
];

export const RunTable = ({ appName, rows }: { appName: string; rows: RunRow[] }) => (
  <DataTable
    caption={`Runs of ${appName}`}
    columns={columns}
    rows={rows}
    numeric={['spent', 'used']}
    hiddenOnPhone={['used']}
    empty={null}
  />
);
