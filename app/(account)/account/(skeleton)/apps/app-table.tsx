'use client';

import { inColumn } from '@/app/_ui/amount';
import { Badge } from '@/app/_ui/badge';
import { columnsOf, DataTable } from '@/app/_ui/data-table';
import { EmptyState } from '@/app/_ui/empty-state';
import { PageLink } from '@/app/_ui/page-link';
import { ROW_LINK } from '@/app/_ui/row-link';
import type { AppRow } from './app-row';
import { Reason } from './reason';

const column = columnsOf<AppRow>();

const COLUMNS = [
  column.accessor('name', {
    header: 'App',
    cell: ({ row: { original: app } }) => (
      <>
        <PageLink href={`/account/apps/${app.partnerId}`} className={`font-medium wrap-anywhere ${ROW_LINK}`}>
          {app.name}
        </PageLink>
        <span className="mt-1.5 block sm:hidden">
          <Badge look={app.look}>{app.word}</Badge>
        </span>
        {app.reason && (
          <span className="mt-1 block max-w-[44ch] text-[13px] text-muted">
            <Reason reason={app.reason} />
          </span>
        )}
      </>
    ),
  }),
  column.accessor('word', {
    header: 'Status',
    cell: ({ row: { original: app } }) => <Badge look={app.look}>{app.word}</Badge>,
  }),
  column.accessor('own', { header: 'Bought in app', cell: ({ getValue }) => inColumn(getValue()) }),
  column.accessor('allowance', {
    header: 'Allowance left',
    cell: ({ row: { original: app } }) =>
      app.paused === null ? (
        app.allowance === null ? (
          <span className="text-muted">none</span>
        ) : (
          inColumn(app.allowance)
        )
      ) : (
        <span className="text-muted">{inColumn(app.paused)} paused</span>
      ),
  }),
  column.accessor('spendable', {
    header: 'Can spend now',
    cell: ({ getValue }) => <span className="font-medium">{inColumn(getValue())}</span>,
  }),
];

/** What each app has and may spend. Each row links to the app's page. */
export function AppTable({ rows }: { rows: AppRow[] }) {
  return (
    <DataTable
      caption="Apps and what they may spend"
      columns={COLUMNS}
      rows={rows}
      numeric={['own', 'allowance', 'spendable']}
      hiddenOnPhone={['word', 'own', 'allowance']}
      sortable
      empty={
        <EmptyState title="No apps yet">
          Apps appear here once you sign in to them with this e-mail address. You decide what each may spend.
        </EmptyState>
      }
    />
  );
}
