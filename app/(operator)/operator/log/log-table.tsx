'use client';

import { columnsOf, DataTable } from '@/app/_ui/data-table';
import { EmptyState } from '@/app/_ui/empty-state';
import { Time } from '@/app/_ui/time';

export type LogRow = {
  id: number;
  at: string;
  operator: string;
  what: string;
  subject: string;
  reason: string;
  change: string[];
};

export function LogTable({ rows, withSubject = true }: { rows: LogRow[]; withSubject?: boolean }) {
  const column = columnsOf<LogRow>();
  const columns = [
    column.accessor('at', {
      header: 'Time',
      cell: ({ row: { original } }) => (
        <>
          <Time at={original.at} />
          <span className="block text-[13px] text-muted">{original.operator}</span>
        </>
      ),
    }),
    column.accessor('what', {
      header: 'Action',
      cell: ({ row: { original } }) => (
        <>
          {original.what}
          <Change lines={original.change} />
        </>
      ),
    }),
    ...(withSubject
      ? [
          column.accessor('subject', {
            header: 'Subject',
            cell: ({ getValue }) => (
              <span className="block max-w-[26ch] min-w-[16ch] break-words">{getValue()}</span>
            ),
          }),
        ]
      : []),
    column.accessor('reason', {
      header: 'Reason',
      cell: ({ getValue }) => <span className="block max-w-[44ch] wrap-anywhere">{getValue()}</span>,
    }),
  ];
  const asCard = (row: LogRow) => (
    <>
      <p className="font-medium">{row.what}</p>
      {withSubject && <p className="wrap-anywhere">{row.subject}</p>}
      <Change lines={row.change} />
      <p className="mt-1.5 wrap-anywhere">{row.reason}</p>
      <p className="mt-1 text-[13px] text-muted">
        <Time at={row.at} /> · {row.operator}
      </p>
    </>
  );
  return (
    <DataTable
      card={asCard}
      caption="Operator actions, newest first"
      columns={columns}
      rows={rows}
      empty={
        <EmptyState title="No actions yet">
          Everything an operator does here or on the command line is recorded with its reason.
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
