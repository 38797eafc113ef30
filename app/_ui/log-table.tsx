'use client';

import { columnsOf, DataTable } from './data-table';
import { EmptyState } from './empty-state';
import { Time } from './time';

export type LogRow = {
  id: number;
  at: string;
  actor: string;
  what: string;
  /** The app, user or person. */
  subject: string;
  /** Only in the log of operators. */
  reason: string | null;
  change: string[];
};

type Props = { rows: LogRow[]; of: 'operators' | 'team'; withSubject?: boolean };

/** The entries of an audit log. */
export function LogTable({ rows, of, withSubject = true }: Props) {
  return (
    <DataTable
      card={(row: LogRow) => <Card row={row} withSubject={withSubject} />}
      caption={of === 'team' ? 'Changes, newest first' : 'Operator actions, newest first'}
      columns={of === 'team' ? teamColumns() : operatorColumns(withSubject)}
      rows={rows}
      empty={
        of === 'team' ? (
          <EmptyState title="No changes yet">
            What members of the team and the operator change appears here.
          </EmptyState>
        ) : (
          <EmptyState title="No actions yet">
            Everything an operator does here or on the command line is recorded with its reason.
          </EmptyState>
        )
      }
    />
  );
}

const column = columnsOf<LogRow>();

const textColumn = (name: 'actor' | 'subject' | 'reason', header: string, className: string) =>
  column.accessor(name, {
    header,
    cell: ({ getValue }) => <span className={`block ${className}`}>{getValue()}</span>,
  });

const changeColumn = (header: string) =>
  column.accessor('what', {
    header,
    cell: ({ row: { original } }) => (
      <>
        {original.what}
        <Change lines={original.change} />
      </>
    ),
  });

const teamColumns = () => [
  column.accessor('at', { header: 'Time', cell: ({ getValue }) => <Time at={getValue()} /> }),
  textColumn('actor', 'By', 'max-w-[28ch] wrap-anywhere'),
  changeColumn('Change'),
  textColumn('subject', 'Concerns', 'max-w-[28ch] wrap-anywhere'),
];

const operatorColumns = (withSubject: boolean) => [
  column.accessor('at', {
    header: 'Time',
    cell: ({ row: { original } }) => (
      <>
        <Time at={original.at} />
        <span className="block text-[13px] text-muted">{original.actor}</span>
      </>
    ),
  }),
  changeColumn('Action'),
  ...(withSubject ? [textColumn('subject', 'Subject', 'max-w-[26ch] min-w-[16ch] break-words')] : []),
  textColumn('reason', 'Reason', 'max-w-[44ch] wrap-anywhere'),
];

function Card({ row, withSubject }: { row: LogRow; withSubject: boolean }) {
  return (
    <>
      <p className="font-medium">{row.what}</p>
      {withSubject && <p className="wrap-anywhere">{row.subject}</p>}
      <Change lines={row.change} />
      {row.reason !== null && <p className="mt-1.5 wrap-anywhere">{row.reason}</p>}
      <p className="mt-1 text-[13px] wrap-anywhere text-muted">
        <Time at={row.at} /> · {row.actor}
      </p>
    </>
  );
}

function Change({ lines }: { lines: string[] }) {
  return lines.map((line) => (
    <span key={line} className="block max-w-[40ch] text-[13px] wrap-anywhere text-muted">
      {line}
    </span>
  ));
}
