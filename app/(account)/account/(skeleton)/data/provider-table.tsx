'use client';

import type { ReactNode } from 'react';
import { columnsOf, DataTable } from '@/app/_ui/data-table';
import { Time } from '@/app/_ui/time';
import type { SeenBy, ShownPolicy } from '@/server/reports/account-data/providers-of';

const column = columnsOf<SeenBy>();
const count = new Intl.NumberFormat('en');

const COLUMNS = [
  column.accessor('provider', {
    header: 'Provider',
    cell: ({ row: { original } }) => <Provider {...original} />,
  }),
  column.accessor('requests', { header: 'Requests', cell: ({ getValue }) => count.format(getValue()) }),
  column.display({
    id: 'days',
    header: 'First and last',
    cell: ({ row: { original } }) => <Days {...original} />,
  }),
  column.display({
    id: 'retention',
    header: 'Retention',
    cell: ({ row: { original } }) => <Says what={original.policy.retention} policy={original.policy} />,
  }),
  column.display({
    id: 'training',
    header: 'Training',
    cell: ({ row: { original } }) => <Says what={original.policy.training} policy={original.policy} />,
  }),
  column.display({
    id: 'source',
    header: 'Source',
    cell: ({ row: { original } }) => <Source {...original.policy} />,
  }),
];

export function ProviderTable({ rows, empty }: { rows: SeenBy[]; empty: ReactNode }) {
  return (
    <DataTable
      caption="Providers that your requests were sent to"
      columns={COLUMNS}
      rows={rows}
      numeric={['requests']}
      card={(seen) => <Card {...seen} />}
      empty={empty}
    />
  );
}

function Card(seen: SeenBy) {
  const { requests, policy } = seen;
  return (
    <div className="flex flex-col gap-2">
      <div className="flex justify-between gap-4">
        <Provider {...seen} />
        <p className="shrink-0 tabular-nums">
          {count.format(requests)} {requests === 1 ? 'request' : 'requests'}
        </p>
      </div>
      <p className="text-muted">
        <Days {...seen} />
      </p>
      <dl className="grid grid-cols-[auto_1fr] gap-x-4 gap-y-1">
        <dt className="text-muted">Retention</dt>
        <dd>
          <Says what={policy.retention} policy={policy} />
        </dd>
        <dt className="text-muted">Training</dt>
        <dd>
          <Says what={policy.training} policy={policy} />
        </dd>
        <dt className="text-muted">Source</dt>
        <dd>
          <Source {...policy} />
        </dd>
      </dl>
    </div>
  );
}

function Provider({ provider, policy: { region } }: SeenBy) {
  return (
    <div>
      <p className="font-medium">{provider}</p>
      {region !== null && <p className="text-[13px] text-muted">Stored in {region}</p>}
    </div>
  );
}

function Days({ first, last }: SeenBy) {
  const firstDay = <Time at={first} withClock={false} isDay />;
  if (first === last) return firstDay;
  return (
    <>
      {firstDay} – <Time at={last} withClock={false} isDay />
    </>
  );
}

function Says({ what, policy: { by } }: { what: string | null; policy: ShownPolicy }) {
  if (by === 'sandbox') return 'Stays on this server';
  return what ?? <span className="text-muted">Not known</span>;
}

function Source({ by, source, readOn }: ShownPolicy) {
  if (by === 'sandbox') return 'A sandbox of this service';
  if (by === 'operator') return 'The operator of this service';
  if (source === null || readOn === null) return <span className="text-muted">No statement known</span>;
  return (
    <>
      <a href={source} rel="noreferrer" className="underline">
        {new URL(source).hostname}
      </a>
      <span className="block text-[13px] text-muted">
        read on <Time at={readOn} withClock={false} isDay />
      </span>
    </>
  );
}
