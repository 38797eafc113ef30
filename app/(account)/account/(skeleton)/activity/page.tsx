import { Download } from 'lucide-react';
import type { Metadata } from 'next';
import { ArchivedNote } from '@/app/_requests/archived-note';
import { toRequestRow } from '@/app/_requests/request-row';
import { RequestTable } from '@/app/_requests/request-table';
import { requireSession } from '@/app/_session/session';
import { BarChart } from '@/app/_ui/bar-chart';
import { buttonClass } from '@/app/_ui/button';
import { EmptyState } from '@/app/_ui/empty-state';
import { PageHead } from '@/app/_ui/page-head';
import { PageLink } from '@/app/_ui/page-link';
import { Pager, positionOf } from '@/app/_ui/pager';
import { Section } from '@/app/_ui/section';
import { Stat, Stats } from '@/app/_ui/stat';
import { readArchivedUntil, readUsageDays, type UsageDay } from '@/server/ledger';
import { barStepOf } from '@/server/reports/activity/bars';
import { readPeriod } from '@/server/reports/activity/periods';
import { listUsedApps, readRequestPage } from '@/server/reports/activity/user-activity';
import { listUserCorrections } from '@/server/reports/activity/user-corrections';
import { amountOf, inDollars, inNumber, inShort } from '../../show-credits';
import { chartOf, sharesOf } from './chart';
import { Corrections } from './corrections';
import { type ActivityQuery, readQuery, writeQuery } from './filter';
import { Filters } from './filters';
import { Shares } from './shares';

export const metadata: Metadata = { title: 'Activity' };

const PAGE_SIZE = 50;
const CORRECTIONS_SHOWN = 20;

type Props = { searchParams: Promise<Record<string, string | string[] | undefined>> };

/** Usage by day, by app, by model and by request. */
export default async function ActivityPage({ searchParams }: Props) {
  const { userId } = await requireSession();
  const query = readQuery(await searchParams);
  const filter = { ...readPeriod(query.period), partnerId: query.app, model: query.model };
  const [apps, everything, archivedUntil, corrections] = await Promise.all([
    listUsedApps(userId),
    readUsageDays(userId, readPeriod(query.period)),
    readArchivedUntil(),
    listUserCorrections(userId, CORRECTIONS_SHOWN),
  ]);
  const days = everything.filter((day) => isWanted(day, query));
  const listed = days.filter(({ day }) => archivedUntil === null || day >= archivedUntil);
  const requests = await readRequestPage(userId, filter, listed, {
    offset: (query.page - 1) * PAGE_SIZE,
    limit: PAGE_SIZE,
  });
  const names = new Map(apps.map(({ id, name }) => [id, name]));
  const total = sumOf(listed, ({ requests: count }) => count);
  return (
    <>
      <PageHead
        title="Activity"
        description="Every request that apps made with your credits. Charts and totals count days in UTC."
        actions={<Actions query={query} />}
      />
      <Filters query={query} apps={choicesOf(names, query.app)} models={modelsOf(everything, query.model)} />
      <Totals days={days} />
      <Corrections corrections={corrections} />
      <Section title={`Credits spent per ${barStepOf(query.period)}`}>
        {days.length === 0 ? (
          <EmptyState title="No spending in this period" />
        ) : (
          <BarChart
            title={`Credits spent by ${query.by}`}
            unit="credits"
            {...chartOf(days, {
              ...filter,
              step: barStepOf(query.period),
              by: query.by,
              names,
            })}
          />
        )}
      </Section>
      {days.length > 0 && (
        <div className="grid gap-x-6 lg:grid-cols-2">
          <Shares title="By app" query={query} of="app" shares={sharesOf(days, { by: 'app', names })} />
          <Shares title="By model" query={query} of="model" shares={sharesOf(days, { by: 'model', names })} />
        </div>
      )}
      <Section title="Requests" flush>
        <RequestTable
          path="/account/activity"
          rows={requests.map(toRequestRow)}
          empty={
            <EmptyState title="No requests found">
              No requests match these filters. Try a longer period or fewer filters.
            </EmptyState>
          }
        />
        <Pages query={query} shown={requests.length} total={total} />
        <ArchivedNote until={archivedUntil} from={filter.from} />
      </Section>
    </>
  );
}

function Actions({ query }: { query: ActivityQuery }) {
  return (
    <>
      <PageLink href="/account/statements" className={buttonClass({ look: 'secondary' })}>
        Statements
      </PageLink>
      <a
        href={writeQuery({ ...query, page: 1 }, '/account/activity/export')}
        download
        className={buttonClass({ look: 'secondary' })}
      >
        <Download size={16} aria-hidden="true" />
        Export CSV
      </a>
    </>
  );
}

function Totals({ days }: { days: UsageDay[] }) {
  const spent = days.reduce((sum, { charge }) => sum + charge, 0n);
  const requests = sumOf(days, (day) => day.requests);
  return (
    <Stats>
      <Stat label="Spent" {...amountOf(spent)} note={`worth ${inDollars(spent)}`} />
      <Stat label="Requests" value={inNumber(requests)} />
      <Stat label="Tokens" value={inShort(sumOf(days, (day) => day.tokens))} note="input and output" />
      <Stat
        label="Per request"
        {...(requests === 0 ? { value: '–' } : amountOf(spent / BigInt(requests)))}
        note="on average"
      />
    </Stats>
  );
}

function Pages({ query, shown, total }: { query: ActivityQuery; shown: number; total: number }) {
  const before = (query.page - 1) * PAGE_SIZE;
  if (total === 0) return null;
  if (shown === 0) {
    return (
      <p className="border-t border-line px-5 py-3 text-sm">
        <PageLink href={writeQuery({ ...query, page: 1 })} className="underline">
          Back to the latest requests
        </PageLink>
      </p>
    );
  }
  return (
    <Pager
      newer={query.page > 1 ? writeQuery({ ...query, page: query.page - 1 }) : undefined}
      older={before + shown < total ? writeQuery({ ...query, page: query.page + 1 }) : undefined}
      position={positionOf({ page: query.page, rows: PAGE_SIZE, total })}
    />
  );
}

const isWanted = (day: UsageDay, { app, model }: ActivityQuery): boolean =>
  (app === undefined || day.partnerId === app) && (model === undefined || day.model === model);

/** Keeps the chosen app in the list. An app without usage has no name here. */
const choicesOf = (names: Map<string, string>, chosen: string | undefined) =>
  [...(chosen === undefined || names.has(chosen) ? [] : [[chosen, 'Selected app'] as const]), ...names].map(
    ([value, label]) => ({ value, label }),
  );

/** Keeps the chosen model in the list even if it has no usage. */
const modelsOf = (days: UsageDay[], chosen: string | undefined): string[] =>
  [...new Set([...days.map(({ model }) => model), ...(chosen === undefined ? [] : [chosen])])].sort();

const sumOf = (days: UsageDay[], part: (day: UsageDay) => number): number =>
  days.reduce((sum, day) => sum + part(day), 0);
