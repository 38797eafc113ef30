import { Users } from 'lucide-react';
import type { Metadata } from 'next';
import { EmptyState } from '@/app/_ui/empty-state';
import { PageHead } from '@/app/_ui/page-head';
import { Pager, positionOf } from '@/app/_ui/pager';
import { Section } from '@/app/_ui/section';
import { creditsToJson } from '@/server/base/credits';
import { countAppUsers, listAppUsers } from '@/server/reports/activity/partner-activity';
import { ExportLink } from '../../export-link';
import { SearchField } from '../../filter-fields';
import { FilterForm } from '../../filter-form';
import { type AppParams, requireApp } from '../../require-app';
import { type Search, urlOf } from '../../search';
import { UsersTable } from './users-table';

export const metadata: Metadata = { title: 'Users' };

const PAGE_ROWS = 50;
const MAX_PAGES = 1_000_000;

type Props = AppParams & { searchParams: Promise<Search> };

export default async function UsersPage({ params, searchParams }: Props) {
  const app = await requireApp({ params }, 'view');
  const search = await searchParams;
  const appUserId = typeof search.user === 'string' && search.user !== '' ? search.user.trim() : undefined;
  const page = Math.min(Math.max(1, Math.trunc(Number(search.page)) || 1), MAX_PAGES);
  const [users, total] = await Promise.all([
    listAppUsers(app.id, { appUserId, offset: (page - 1) * PAGE_ROWS, limit: PAGE_ROWS }),
    countAppUsers(app.id),
  ]);
  const path = `/partner/${app.id}/users`;
  const pageAt = (number: number) => urlOf(path, { page: number > 1 ? String(number) : '' });
  const isWhole = appUserId === undefined;
  return (
    <>
      <PageHead
        title="Users"
        description="Everyone with a key for your app, by an ID that only your app knows."
      />
      <Section
        title={total === 1 ? '1 user' : `${total.toLocaleString('en')} users`}
        flush
        actions={
          <div className="flex flex-wrap items-center gap-2 max-sm:w-full max-sm:[&>form]:flex-1">
            <FilterForm path={path}>
              <SearchField label="User ID" value={appUserId ?? ''} />
            </FilterForm>
            <ExportLink href={`${path}/export`} />
          </div>
        }
      >
        <UsersTable
          requestsPath={`/partner/${app.id}/requests`}
          rows={users.map((user) => ({
            user: user.appUserId,
            metadata: user.metadata === null ? '' : JSON.stringify(user.metadata),
            since: user.createdAt.toISOString(),
            lastAt: user.lastRequestAt?.toISOString() ?? null,
            requests: user.requests,
            spent: creditsToJson(user.charge),
            earned: creditsToJson(user.partnerShare),
          }))}
          empty={
            <EmptyState
              icon={<Users size={22} aria-hidden="true" />}
              title={isWhole ? 'No users yet' : 'No user with this ID'}
            >
              {isWhole
                ? 'Users appear here after their first sign-in or purchase in your app.'
                : 'Enter the full ID, starting with au_.'}
            </EmptyState>
          }
        />
        {isWhole && (
          <Pager
            newer={page > 1 ? pageAt(page - 1) : undefined}
            older={page * PAGE_ROWS < total ? pageAt(page + 1) : undefined}
            position={positionOf({ page, rows: PAGE_ROWS, total })}
          />
        )}
      </Section>
    </>
  );
}
