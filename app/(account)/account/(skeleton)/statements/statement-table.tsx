'use client';

import { Download } from 'lucide-react';
import type { ReactNode } from 'react';
import { inColumn, writeCharge } from '@/app/_ui/amount';
import { Badge } from '@/app/_ui/badge';
import { columnsOf, DataTable } from '@/app/_ui/data-table';
import { ROW_LINK } from '@/app/_ui/row-link';
import { Time } from '@/app/_ui/time';

export type StatementRow = {
  day: string;
  bookings: number;
  charged: number;
  /** Bought, granted or taken back. */
  added: number;
  closing: number;
  root: string;
  /** Null if it was not compared. */
  matches: boolean | null;
  /** Its receipts are no longer here, so there is no file. */
  isArchived: boolean;
};

const column = columnsOf<StatementRow>();
const count = new Intl.NumberFormat('en');

const COLUMNS = [
  column.accessor('day', {
    header: 'Day',
    cell: ({ getValue }) => <Time at={getValue()} withClock={false} isDay />,
  }),
  column.accessor('bookings', { header: 'Bookings', cell: ({ getValue }) => count.format(getValue()) }),
  column.accessor('charged', { header: 'Charged', cell: ({ getValue }) => writeCharge(getValue()) }),
  column.accessor('added', { header: 'Other changes', cell: ({ getValue }) => inColumn(getValue()) }),
  column.accessor('closing', { header: 'Balance after', cell: ({ getValue }) => inColumn(getValue()) }),
  column.accessor('root', { header: 'Merkle root', cell: ({ getValue }) => <Root hash={getValue()} /> }),
  column.accessor('matches', {
    header: 'State',
    cell: ({ row: { original } }) => <State {...original} />,
  }),
  column.display({
    id: 'file',
    header: () => <span className="sr-only">File</span>,
    cell: ({ row: { original } }) => <FileLink {...original} />,
  }),
];

export function StatementTable({ rows, empty }: { rows: StatementRow[]; empty: ReactNode }) {
  return (
    <DataTable
      caption="Statements"
      columns={COLUMNS}
      rows={rows}
      numeric={['bookings', 'charged', 'added', 'closing', 'file']}
      hiddenWhenNarrow={['root', 'added']}
      card={(statement) => <Card {...statement} />}
      empty={empty}
    />
  );
}

function Card(statement: StatementRow) {
  return (
    <div className="flex justify-between gap-4">
      <div className="min-w-0">
        <p className="font-medium">
          <Time at={statement.day} withClock={false} isDay />
        </p>
        <p className="mt-0.5 text-muted">
          {count.format(statement.bookings)} {statement.bookings === 1 ? 'booking' : 'bookings'}
        </p>
        <p className="mt-1.5">
          <State {...statement} />
        </p>
      </div>
      <div className="shrink-0 text-right tabular-nums">
        <p className="font-medium">{writeCharge(statement.charged)} charged</p>
        <p className="mt-0.5 text-muted">{inColumn(statement.closing)} left</p>
        <p className="mt-1.5">
          <FileLink {...statement} />
        </p>
      </div>
    </div>
  );
}

function State({ matches, isArchived }: StatementRow) {
  if (matches === false) return <Badge look="danger">Changed</Badge>;
  if (isArchived) return <Badge>Archived</Badge>;
  if (matches === null) return <Badge>Signed</Badge>;
  return <Badge look="positive">Unchanged</Badge>;
}

function Root({ hash }: { hash: string }) {
  return (
    <code className="font-mono text-[13px] text-muted" title={hash}>
      {hash.slice(0, 12)}…
    </code>
  );
}

function FileLink({ day, isArchived }: StatementRow) {
  if (isArchived) return null;
  return (
    <a
      href={`/account/statements/${day}`}
      download
      aria-label={`Download the statement of ${day}`}
      className={`-my-1 inline-flex items-center gap-1.5 py-1 max-sm:-my-2 max-sm:py-2 ${ROW_LINK}`}
    >
      <Download size={15} aria-hidden="true" />
      JSON
    </a>
  );
}
