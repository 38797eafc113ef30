'use client';

import type { ReactNode } from 'react';
import { Badge } from '@/app/_ui/badge';
import { columnsOf, DataTable } from '@/app/_ui/data-table';
import { PageLink } from '@/app/_ui/page-link';
import { ROW_LINK } from '@/app/_ui/row-link';
import { Time } from '@/app/_ui/time';
import type { AttemptError } from '@/server/partners/webhooks/attempt';
import type { DeliveryStatus } from '@/server/partners/webhooks/delivery-log';
import { DELIVERY_WORDS, describeOutcome } from './delivery-words';

type Row = {
  eventId: string;
  type: string;
  createdAt: string;
  status: DeliveryStatus;
  attempts: number;
  /** Of the latest attempt. */
  answer: number | null;
  error: AttemptError | null;
  durationMs: number | null;
};

const column = columnsOf<Row>();

export function DeliveriesTable({
  path,
  deliveries,
  empty,
}: {
  path: string;
  deliveries: Row[];
  empty: ReactNode;
}) {
  const asCard = (row: Row) => (
    <>
      <p className="flex items-center justify-between gap-4">
        {eventLink(row)}
        {statusBadge(row)}
      </p>
      <p className="mt-1 flex flex-wrap justify-between gap-x-4 text-[13px] text-muted">
        <Time at={row.createdAt} />
        <span>{describeOutcome({ status: row.answer, error: row.error })}</span>
      </p>
    </>
  );
  const eventLink = ({ eventId, type }: Row) => (
    <PageLink href={`${path}/${eventId}`} className={`font-mono text-[13px] whitespace-nowrap ${ROW_LINK}`}>
      {type}
    </PageLink>
  );
  const columns = [
    column.accessor('type', {
      header: 'Event',
      cell: ({ row: { original } }) => eventLink(original),
    }),
    column.accessor('status', {
      header: 'Status',
      cell: ({ row: { original } }) => statusBadge(original),
    }),
    column.display({
      id: 'outcome',
      header: 'Last response',
      cell: ({ row: { original } }) => (
        <span className="whitespace-nowrap">
          {describeOutcome({ status: original.answer, error: original.error })}
          {original.durationMs !== null && <span className="text-muted"> · {original.durationMs} ms</span>}
        </span>
      ),
    }),
    column.accessor('attempts', { header: 'Attempts' }),
    column.accessor('createdAt', {
      header: 'Created',
      cell: ({ getValue }) => <Time at={getValue()} />,
    }),
  ];
  return (
    <DataTable
      caption="Deliveries, newest first"
      columns={columns}
      rows={deliveries}
      empty={empty}
      numeric={['attempts']}
      card={asCard}
    />
  );
}

function statusBadge({ status }: Row) {
  const { label, look } = DELIVERY_WORDS[status];
  return <Badge look={look}>{label}</Badge>;
}
