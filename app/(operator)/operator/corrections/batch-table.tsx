'use client';

import { columnsOf, DataTable } from '@/app/_ui/data-table';
import { PageLink } from '@/app/_ui/page-link';
import { ROW_LINK } from '@/app/_ui/row-link';
import { Time } from '@/app/_ui/time';
import type { ProposedBatch } from '@/server/operator/corrections';
import { BatchBadge } from './batch-badge';

export type BatchRow = Pick<ProposedBatch, 'id' | 'state' | 'reason' | 'basis'> & {
  at: string;
  requests: string;
  users: string;
  credits: string;
};

const column = columnsOf<BatchRow>();

const COLUMNS = [
  column.accessor('reason', {
    header: 'Reason',
    cell: ({ row: { original } }) => (
      <>
        <BatchLink {...original} />
        <span className="mt-0.5 block text-[13px] wrap-anywhere text-muted">{original.basis}</span>
      </>
    ),
  }),
  column.accessor('state', {
    header: 'State',
    cell: ({ row: { original } }) => <BatchBadge {...original} />,
  }),
  column.accessor('at', {
    header: 'Proposed',
    cell: ({ getValue }) => <Time at={getValue()} withClock={false} />,
  }),
  column.accessor('users', { header: 'Users' }),
  column.accessor('requests', { header: 'Requests' }),
  column.accessor('credits', { header: 'Credits' }),
];

export function BatchTable({ rows }: { rows: BatchRow[] }) {
  return (
    <DataTable
      caption="Batches of corrections, newest first"
      columns={COLUMNS}
      rows={rows}
      numeric={['users', 'requests', 'credits']}
      hiddenWhenNarrow={['users']}
      empty={null}
      card={(batch) => (
        <>
          <p className="flex justify-between gap-4">
            <BatchLink {...batch} />
            <span className="tabular-nums">{batch.credits}</span>
          </p>
          <p className="mt-1 text-muted">
            {batch.requests} {batch.requests === '1' ? 'request' : 'requests'} ·{' '}
            <Time at={batch.at} withClock={false} />
          </p>
          <p className="mt-1.5">
            <BatchBadge {...batch} />
          </p>
        </>
      )}
    />
  );
}

function BatchLink({ id, reason }: BatchRow) {
  return (
    <PageLink href={`/operator/corrections/${id}`} className={`font-medium wrap-anywhere ${ROW_LINK}`}>
      {reason}
    </PageLink>
  );
}
