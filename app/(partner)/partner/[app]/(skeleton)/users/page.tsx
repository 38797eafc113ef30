import { Users } from 'lucide-react';
import type { Metadata } from 'next';
import { buttonClass } from '@/app/_ui/button';
import { EmptyState } from '@/app/_ui/empty-state';
import { PageHead } from '@/app/_ui/page-head';
import { PageLink } from '@/app/_ui/page-link';
import { Pager, positionOf } from '@/app/_ui/pager';
import { Section } from '@/app/_ui/section';
import { countOf } from '@/server/base/count-of';
import { creditsToJson } from '@/server/base/credits';
import { countAppUsers, listAppUsers, USER_ORDERS } from '@/server/reports/activity/partner-activity';
import { ExportLink } from '../../export-link';
import { FilterSelect, SearchField } from '../../filter-fields';
import { FilterForm } from '../../filter-form';
import { type AppParams, requireApp } from '../../require-app';
import { readChoice, readSearched, type Search, urlOf } from '../../search';
import { UsersTable } from './users-table';

export const metadata: Metadata = { title: 'Users' };

const PAGE_ROWS = 50;
const MAX_PAGES = 1_000_000;

type Props = AppParams & { searchParams: Promise<Search> };

export default async function UsersPage({ params, searchParams }: Props) {
  const app = await requireApp({ params }, 'view');
  const query = await searchParams;
  const search = readSearched(query.user);
  const order = readChoice(query.sort, USER_ORDERS);
  const page = Math.min(Math.max(1, Math.trunc(Number(query.page)) || 1), MAX_PAGES);
  const [users, all] = await Promise.all([
    listAppUsers(app.id, { search, order, offset: search ? 0 : (page - 1) * PAGE_ROWS, limit: PAGE_ROWS }),
    countAppUsers(app.id, order),
  ]);
  const isWhole = search === undefined;
  const total = isWhole ? all : users.length;
  const path = `/partner/${app.id}/users`;
  const pageAt = (number: number) => urlOf(path, { sort: order, page: number > 1 ? String(number) : '' });
  return (
    <>
      <PageHead
        title="Users"
        description="Everyone with a key for your app, by an ID that only your app knows."
        actions={
          <PageLink href={`${path}/cohorts`} className={buttonClass({ look: 'secondary', size: 'small' })}>
            Cohorts
          </PageLink>
        }
      />
      <Section title={countOf(total, 'user')} flush actions={<ExportLink href={`${path}/export`} />}>
        <div className="px-5 pb-4">
          <FilterForm path={path}>
            <SearchField label="User ID or metadata value" value={search ?? ''} />
            <FilterSelect label="Order" name="sort" value={order ?? ''} options={ORDER_OPTIONS} />
          </FilterForm>
        </div>
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
          empty={<NoUsers isWhole={isWhole} />}
        />
        {isWhole ? (
          <Pager
            newer={page > 1 ? pageAt(page - 1) : undefined}
            older={page * PAGE_ROWS < total ? pageAt(page + 1) : undefined}
            position={positionOf({ page, rows: PAGE_ROWS, total })}
          />
        ) : (
          users.length === PAGE_ROWS && (
            <p className="border-t border-line px-5 py-3 text-sm text-muted">
              At most {PAGE_ROWS} users are shown. Enter more of the value to find others.
            </p>
          )
        )}
      </Section>
    </>
  );
}

const ORDER_OPTIONS = [
  { value: '', label: 'Newest first' },
  { value: 'spent', label: 'Most spent first' },
  { value: 'last_request', label: 'Latest request first' },
];

function NoUsers({ isWhole }: { isWhole: boolean }) {
  return (
    <EmptyState
      icon={<Users size={22} aria-hidden="true" />}
      title={isWhole ? 'No users yet' : 'No users found'}
    >
      {isWhole
        ? 'Users appear here after their first sign-in or purchase in your app.'
        : 'Enter a full ID that starts with au_, or the beginning of a value of the metadata that your app saved.'}
    </EmptyState>
  );
}
