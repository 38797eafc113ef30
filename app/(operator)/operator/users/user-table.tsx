'use client';

import { columnsOf, DataTable } from '@/app/_ui/data-table';
import { EmptyState } from '@/app/_ui/empty-state';
import { PageLink } from '@/app/_ui/page-link';
import { ROW_LINK } from '@/app/_ui/row-link';
import { Time } from '@/app/_ui/time';
import type { UserRow } from './user-row';

const column = columnsOf<UserRow>();

const COLUMNS = [
  column.accessor('email', { header: 'E-mail', cell: ({ row: { original } }) => <UserLink {...original} /> }),
  column.accessor('since', {
    header: 'Since',
    cell: ({ getValue }) => <Time at={getValue()} withClock={false} />,
  }),
  column.accessor('lastRequestAt', {
    header: 'Last request',
    cell: ({ getValue }) => {
      const at = getValue();
      return at === null ? '–' : <Time at={at} withClock={false} />;
    },
  }),
  column.accessor('requests', { header: 'Requests' }),
  column.accessor('spent', { header: 'Credits spent' }),
  column.accessor('credits', { header: 'Credits left' }),
];

export function UserTable({ caption, rows }: { caption: string; rows: UserRow[] }) {
  return (
    <DataTable
      caption={caption}
      columns={COLUMNS}
      rows={rows}
      numeric={['requests', 'spent', 'credits']}
      hiddenWhenNarrow={['lastRequestAt']}
      empty={<EmptyState title="No users yet">People who sign in to an app appear here.</EmptyState>}
      card={(user) => (
        <>
          <UserLink {...user} />
          <p className="mt-1 text-muted">
            {user.spent} credits spent, {user.credits} left · since <Time at={user.since} withClock={false} />
          </p>
        </>
      )}
    />
  );
}

function UserLink({ href, email }: UserRow) {
  return (
    <PageLink href={href} className={`font-medium wrap-anywhere ${ROW_LINK}`}>
      {email}
    </PageLink>
  );
}
