'use client';

import { Badge } from '@/app/_ui/badge';
import { columnsOf, DataTable } from '@/app/_ui/data-table';
import { EmptyState } from '@/app/_ui/empty-state';
import { AppLink } from '../../app-link';

type Row = {
  id: string;
  name: string;
  own: string;
  limit: string;
  balance: string;
  status: string;
  keys: number;
};

/** Why a request is, or would be, refused now. */
const STATES: Record<string, string> = {
  ok: 'Can spend',
  insufficient_credits: 'No credits',
  partner_not_permitted: 'Not allowed',
  partner_limit_reached: 'Used up',
  paused_for_review: 'Paused for review',
  disabled: 'App disabled',
};

export function PocketTable({ rows }: { rows: Row[] }) {
  const column = columnsOf<Row>();
  const columns = [
    column.accessor('name', {
      header: 'App',
      cell: ({ row: { original } }) => (
        <>
          <AppLink {...original} />
          <span className="mt-1 block sm:hidden">
            <StateBadge status={original.status} />
          </span>
        </>
      ),
    }),
    column.accessor('status', {
      header: 'Status',
      cell: ({ getValue }) => <StateBadge status={getValue()} />,
    }),
    column.accessor('own', { header: 'Bought in app' }),
    column.accessor('limit', { header: 'Allowance left' }),
    column.accessor('balance', { header: 'Can spend' }),
    column.accessor('keys', { header: 'Active keys' }),
  ];
  return (
    <DataTable
      caption="The user’s apps"
      columns={columns}
      rows={rows}
      numeric={['own', 'limit', 'balance', 'keys']}
      hiddenOnPhone={['limit', 'keys', 'status']}
      empty={<EmptyState title="No apps yet">This user has not signed in to any app.</EmptyState>}
    />
  );
}

function StateBadge({ status }: { status: string }) {
  return <Badge look={status === 'ok' ? 'positive' : 'neutral'}>{STATES[status] ?? status}</Badge>;
}
