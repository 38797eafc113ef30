import { List } from 'lucide-react';
import type { Metadata } from 'next';
import { redirect } from 'next/navigation';
import { ArchivedNote } from '@/app/_requests/archived-note';
import { EmptyState } from '@/app/_ui/empty-state';
import { PageHead } from '@/app/_ui/page-head';
import { Pager, positionOf } from '@/app/_ui/pager';
import { Section } from '@/app/_ui/section';
import { countOf } from '@/server/base/count-of';
import { creditsToJson } from '@/server/base/credits';
import { readArchivedUntil } from '@/server/ledger';
import { findAppRequest } from '@/server/reports/activity/app-request';
import { listAppRequests, readAppDays } from '@/server/reports/activity/partner-activity';
import { ExportLink } from '../../export-link';
import { FilterSelect, SearchField } from '../../filter-fields';
import { FilterForm } from '../../filter-form';
import { PeriodField } from '../../period-field';
import { type AppParams, requireApp } from '../../require-app';
import { type Search, urlOf } from '../../search';
import { type RequestSearch, readRequestSearch } from './request-search';
import { RequestsTable } from './requests-table';

export const metadata: Metadata = { title: 'Requests' };

const PAGE_ROWS = 50;

type Props = AppParams & { searchParams: Promise<Search> };

export default async function RequestsPage({ params, searchParams }: Props) {
  const app = await requireApp({ params }, 'view');
  const search = readRequestSearch(await searchParams);
  const { filter, page } = search;
  const path = `/partner/${app.id}/requests`;
  const searched = filter.appUserId;
  if (searched?.startsWith('req_') && (await findAppRequest(app.id, searched)))
    redirect(`${path}/${searched}`);
  const archivedUntil = await readArchivedUntil();
  const listed = { ...filter, from: laterOf(filter.from, archivedUntil) };
  const [{ requests, total }, days] = await Promise.all([
    listAppRequests(app.id, listed, { offset: (page - 1) * PAGE_ROWS, limit: PAGE_ROWS }),
    readAppDays(app.id, filter),
  ]);
  const pageAt = (number: number) =>
    urlOf(path, { ...asParameters(search), page: number > 1 ? String(number) : '' });
  return (
    <>
      <PageHead
        title="Requests"
        description="Requests from your users, what they paid and what you earned, in credits."
      />
      <Section
        title={countOf(total, 'request')}
        flush
        actions={<ExportLink href={urlOf(`${path}/export`, asParameters(search))} />}
      >
        <div className="px-5 pb-4">
          <Filters path={path} search={search} models={[...new Set(days.map(({ model }) => model))].sort()} />
        </div>
        <RequestsTable
          path={path}
          rows={requests.map((request) => ({
            requestId: request.requestId,
            at: request.createdAt.toISOString(),
            user: request.appUserId,
            model: request.model,
            inputTokens: request.inputTokens,
            outputTokens: request.outputTokens,
            charge: creditsToJson(request.charge),
            commission: creditsToJson(request.partnerShare),
            estimated: request.estimated,
            outcome: request.outcome,
          }))}
          empty={<NoRequests isFiltered={isNarrowed(search)} />}
        />
        <Pager
          newer={page > 1 ? pageAt(page - 1) : undefined}
          older={page * PAGE_ROWS < total ? pageAt(page + 1) : undefined}
          position={positionOf({ page, rows: PAGE_ROWS, total })}
        />
        <ArchivedNote until={archivedUntil} from={filter.from} />
      </Section>
    </>
  );
}

function Filters({ path, search, models }: { path: string; search: RequestSearch; models: string[] }) {
  const { period, filter } = search;
  // A model in the URL stays selected even if it was not used in this period.
  const choices =
    filter.model === undefined || models.includes(filter.model) ? models : [filter.model, ...models];
  return (
    <FilterForm path={path}>
      <div className="grid w-full grid-cols-2 gap-2 sm:contents">
        <PeriodField period={period} />
        <FilterSelect
          label="Model"
          name="model"
          value={filter.model ?? ''}
          className="sm:max-w-64"
          options={[{ value: '', label: 'All models' }, ...choices.map((value) => ({ value, label: value }))]}
        />
        <FilterSelect
          label="Status"
          name="status"
          value={filter.status ?? ''}
          options={[
            { value: '', label: 'Any status' },
            { value: 'completed', label: 'Completed' },
            { value: 'unfinished', label: 'Failed or stopped' },
          ]}
        />
        <SearchField label="User or request ID" value={filter.appUserId ?? ''} />
      </div>
    </FilterForm>
  );
}

const laterOf = (from: string, archivedUntil: string | null): string =>
  archivedUntil !== null && archivedUntil > from ? archivedUntil : from;

function asParameters({ period, filter }: RequestSearch): Search {
  return { period, model: filter.model, status: filter.status, user: filter.appUserId };
}

const isNarrowed = ({ filter: { model, status, appUserId } }: RequestSearch): boolean =>
  [model, status, appUserId].some((value) => value !== undefined);

function NoRequests({ isFiltered }: { isFiltered: boolean }) {
  return (
    <EmptyState
      icon={<List size={22} aria-hidden="true" />}
      title={isFiltered ? 'No requests found' : 'No requests yet'}
    >
      {isFiltered
        ? 'Try a longer period or other filters. A refused request is counted under Errors and not listed.'
        : 'A request appears here as soon as one of your users spends credits in your app.'}
    </EmptyState>
  );
}
