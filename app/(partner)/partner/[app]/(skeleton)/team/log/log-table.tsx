'use client';

import { columnsOf, DataTable } from '@/app/_ui/data-table';
import { EmptyState } from '@/app/_ui/empty-state';
import { Time } from '@/app/_ui/time';

export type LogRow = {
  id: number;
  at: string;
  actor: string;
  what: string;
  /** The app and the person. */
  concerns: string;
  change: string[];
};

export function LogTable({ rows }: { rows: LogRow[] }) {
  const column = columnsOf<LogRow>();
  const columns = [
    column.accessor('at', { header: 'Time', cell: ({ getValue }) => <Time at={getValue()} /> }),
    column.accessor('actor', {
      header: 'By',
      cell: ({ getValue }) => <span className="block max-w-[28ch] wrap-anywhere">{getValue()}</span>,
    }),
    column.accessor('what', {
      header: 'Change',
      cell: ({ row: { original } }) => (
        <>
          {original.what}
          <Change lines={original.change} />
        </>
      ),
    }),
    column.accessor('concerns', {
      header: 'Concerns',
      cell: ({ getValue }) => <span className="block max-w-[28ch] wrap-anywhere">{getValue()}</span>,
    }),
  ];
  const asCard = (row: LogRow) => (
    <>
      <p className="font-medium">{row.what}</p>
      <p className="wrap-anywhere">{row.concerns}</p>
      <Change lines={row.change} />
      <p className="mt-1 text-[13px] wrap-anywhere text-muted">
        <Time at={row.at} /> · {row.actor}
      </p>
    </>
  );
  return (
    <DataTable
      card={asCard}
      caption="Changes, newest first"
      columns={columns}
      rows={rows}
      empty={
        <EmptyState title="No changes yet">
          What members of the team and the operator change appears here.
        </EmptyState>
      }
    />
  );
}

function Change({ lines }: { lines: string[] }) {
  return lines.map((line) => (
    <span key={line} className="block max-w-[40ch] text-[13px] wrap-anywhere text-muted">
      {line}
    </span>
  ));
}
