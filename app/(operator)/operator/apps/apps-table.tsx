'use client';

import { Badge } from '@/app/_ui/badge';
import { columnsOf, DataTable } from '@/app/_ui/data-table';
import { EmptyState } from '@/app/_ui/empty-state';
import { AppLink } from '../app-link';
import { usd } from '../usage-table';
import { type AppState, StateBadge } from './state-badge';

type Row = {
  id: string;
  name: string;
  owner: string | null;
  state: AppState;
  isNameWaiting: boolean;
  isProfileWaiting: boolean;
  rate: number;
  cap: number;
  requests: number;
  charged: number;
};

function States({ state, isNameWaiting, isProfileWaiting }: Row) {
  return (
    <span className="flex flex-wrap gap-1.5">
      <StateBadge state={state} />
      {isNameWaiting && <Badge look="warning">Name to approve</Badge>}
      {isProfileWaiting && <Badge look="warning">Profile to approve</Badge>}
    </span>
  );
}

export function AppsTable({ rows }: { rows: Row[] }) {
  const column = columnsOf<Row>();
  const columns = [
    column.accessor('name', {
      header: 'App',
      cell: ({ row: { original } }) => <AppLink {...original} />,
    }),
    column.accessor('state', {
      header: 'Status',
      cell: ({ row: { original } }) => <States {...original} />,
    }),
    column.accessor('owner', {
      header: 'Owner',
      cell: ({ getValue }) => <span className="text-muted">{getValue() ?? 'none'}</span>,
    }),
    column.accessor('rate', { header: 'Commission', cell: ({ getValue }) => `${getValue()}%` }),
    column.accessor('requests', {
      header: 'Requests',
      cell: ({ getValue }) => new Intl.NumberFormat('en').format(getValue()),
    }),
    column.accessor('charged', {
      header: 'Charged',
      cell: ({ getValue }) => usd(getValue()),
    }),
  ];
  return (
    <DataTable
      caption="Apps"
      columns={columns}
      rows={rows}
      sortable
      numeric={['rate', 'requests', 'charged']}
      hiddenOnPhone={['rate', 'requests']}
      hiddenWhenNarrow={['owner']}
      empty={
        <EmptyState title="No apps yet">
          Partners sign up at /partner. To create an app yourself, run npm run svc -- partner create
        </EmptyState>
      }
    />
  );
}
