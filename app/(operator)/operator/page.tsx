import { CircleCheck } from 'lucide-react';
import { PasskeyNotice } from '@/app/_session/passkey-notice';
import { requireOperator } from '@/app/_session/session';
import { BarChart } from '@/app/_ui/bar-chart';
import { describeGrowth } from '@/app/_ui/describe-growth';
import { EmptyState } from '@/app/_ui/empty-state';
import { Notice } from '@/app/_ui/notice';
import { PageHead } from '@/app/_ui/page-head';
import { PageLink } from '@/app/_ui/page-link';
import { Section } from '@/app/_ui/section';
import { Stat, Stats } from '@/app/_ui/stat';
import { Time } from '@/app/_ui/time';
import { creditsToJson } from '@/server/base/credits';
import { settings } from '@/server/base/env';
import { describeSandboxes, type Sandboxes } from '@/server/base/open-sandboxes';
import { readServiceState, type ServiceState } from '@/server/operator/state';
import { listPaymentsNeedingAttention } from '@/server/payments/checkout/alerts';
import { barsOf } from '@/server/reports/activity/bars';
import {
  type DaySums,
  type NamedSums,
  type Range,
  readByModel,
  readByPartner,
  readDays,
  readMoney,
  readRefusals,
} from '@/server/reports/activity/install-activity';
import { PERIODS, type Period, readPeriod, readPreviousPeriod } from '@/server/reports/activity/periods';
import { readMargin } from '@/server/reports/margin/result';
import { PeriodLinks } from './choice-links';
import { MarginSection } from './margin-section';
import { UsageTable } from './usage-table';
import { inDollars, inNumber } from './write-amounts';

const TOP_MODELS = 8;

type Props = { searchParams: Promise<{ period?: string }> };

export default async function OverviewPage({ searchParams }: Props) {
  await requireOperator();
  const { period: requested } = await searchParams;
  const period: Period = PERIODS.find((known) => known === requested) ?? '30d';
  const range = readPeriod(period);
  const previous = readPreviousPeriod(period);
  const [now, refusals, margin, state, alerts] = await Promise.all([
    readTotals(range),
    readRefusals(range),
    readMargin(range),
    readServiceState(),
    listPaymentsNeedingAttention(),
  ]);
  // Not all at once: other pages need connections, too.
  const [before, marginBefore, apps, models] = await Promise.all([
    readTotals(previous),
    readMargin(previous),
    readByPartner(range),
    readByModel(range, TOP_MODELS),
  ]);
  const { days } = now;
  const refused = refusals.reduce((sum, { count }) => sum + count, 0);
  const sandboxes = describeSandboxes(settings());
  const step = period === '12m' ? 'month' : 'day';
  return (
    <>
      <PageHead title="Overview" actions={<PeriodLinks current={period} />} />
      <PasskeyNotice />
      <Attention state={state} alerts={alerts.length} sandboxes={sandboxes} />
      <Totals now={now} before={before} refused={refused} result={margin.result} />
      <MarginSection margin={margin} before={marginBefore} period={period} />
      <Section title={`Charged by ${step}`} description="In USD, to users of all apps. Dates are in UTC.">
        {days.length === 0 ? (
          <EmptyState title="No requests yet">Nothing was charged in this period.</EmptyState>
        ) : (
          <BarChart title={`Charged by ${step}`} unit="USD" {...barsOf(chargesOf(days), range, period)} />
        )}
      </Section>
      <Section
        id="errors"
        title={`Errors by ${step}`}
        description="Refused and failed requests by error code. None were charged."
      >
        {refused === 0 ? (
          <EmptyState icon={<CircleCheck size={20} aria-hidden="true" />} title="No errors">
            No requests were refused or failed in this period.
          </EmptyState>
        ) : (
          <BarChart
            title={`Errors by ${step}`}
            unit="requests"
            {...barsOf(
              refusals.map(({ day, code, count }) => ({ day, name: code, value: count })),
              range,
              period,
            )}
          />
        )}
      </Section>
      <Section id="apps" title="Apps" flush>
        <UsageTable what="App" rows={apps.map((app) => ({ ...toRow(app), partnerId: app.partnerId }))} />
      </Section>
      <Section title="Models" description={`Top ${TOP_MODELS} by amount charged.`} flush>
        <UsageTable what="Model" rows={models.map((model) => ({ ...toRow(model), partnerId: null }))} />
      </Section>
      <Now state={state} sandboxes={sandboxes} />
    </>
  );
}

type AttentionProps = { state: ServiceState; alerts: number; sandboxes: Sandboxes };

function Attention({ state, alerts, sandboxes }: AttentionProps) {
  const differences = state.audit?.differences ?? [];
  return (
    <div className="mb-6 flex flex-col gap-2 empty:hidden">
      {differences.length > 0 && (
        <Notice kind="danger">
          The ledger audit found differences: {differences.slice(0, 3).join('; ')}
          {differences.length > 3 && ` and ${differences.length - 3} more`}
        </Notice>
      )}
      {sandboxes.warning !== null && <Notice kind="warning">{sandboxes.warning}.</Notice>}
      {alerts > 0 && (
        <Notice kind="warning">
          <PageLink href="/operator/payments" className="underline underline-offset-2">
            {alerts === 1 ? '1 payment needs' : `${alerts} payments need`} attention
          </PageLink>
        </Notice>
      )}
      {state.payouts > 0 && (
        <Notice kind="warning">
          <PageLink href="/operator/payouts" className="underline underline-offset-2">
            {state.payouts === 1 ? '1 payout needs' : `${state.payouts} payouts need`} attention
          </PageLink>
        </Notice>
      )}
      {state.paused > 0 && (
        <Notice kind="danger">
          <PageLink href="/operator/overruns" className="underline underline-offset-2">
            {state.paused === 1 ? '1 user or app is' : `${state.paused} users or apps are`} paused for review
          </PageLink>
        </Notice>
      )}
      {state.waitingApps > 0 && (
        <Notice kind="warning">
          <PageLink href="/operator/apps" className="underline underline-offset-2">
            {state.waitingApps === 1 ? '1 app is waiting' : `${state.waitingApps} apps are waiting`} for
            approval
          </PageLink>
        </Notice>
      )}
      {state.waitingNames > 0 && (
        <Notice kind="info">
          <PageLink href="/operator/apps" className="underline underline-offset-2">
            {state.waitingNames === 1 ? '1 app has' : `${state.waitingNames} apps have`} a name to approve
          </PageLink>
        </Notice>
      )}
    </div>
  );
}

async function readTotals(range: Range) {
  const [days, money] = await Promise.all([readDays(range), readMoney(range)]);
  const sum = (pick: (day: DaySums) => bigint) => days.reduce((total, day) => total + pick(day), 0n);
  return {
    days,
    requests: days.reduce((total, day) => total + day.requests, 0),
    charge: sum((day) => day.charge),
    sold: money.purchase ?? 0n,
    reversed: -((money.refund ?? 0n) + (money.chargeback ?? 0n)),
    given: (money.promotion ?? 0n) + (money.adjustment ?? 0n),
    corrected: money.correction ?? 0n,
  };
}

type Totals = Awaited<ReturnType<typeof readTotals>>;

type TotalsProps = { now: Totals; before: Totals; refused: number; result: bigint };

function Totals({ now, before, refused, result }: TotalsProps) {
  const noteOf = (name: 'charge' | 'sold' | 'reversed' | 'given' | 'corrected', note: string) =>
    joinNotes(note, describeGrowth(now[name], before[name]));
  const total = now.requests + refused;
  return (
    <Stats>
      <Stat
        label="Result"
        value={inDollars(result)}
        note="after all costs, with estimated fees"
        href="#result"
      />
      <Stat
        label="Requests"
        value={inNumber(now.requests)}
        note={joinNotes('charged', describeGrowth(now.requests, before.requests))}
        href="#apps"
      />
      <Stat
        label="Charged to users"
        value={inDollars(now.charge)}
        note={noteOf('charge', 'usage revenue')}
        href="#apps"
      />
      <Stat
        label="Credits sold"
        value={inDollars(now.sold)}
        note={noteOf('sold', 'value at purchase')}
        href="/operator/payments?state=paid#all"
      />
      <Stat
        label="Reversed"
        value={inDollars(now.reversed)}
        note={noteOf('reversed', 'refunds and disputes')}
        href="/operator/payments?state=reversed#all"
      />
      <Stat
        label="Credits given"
        value={inDollars(now.given)}
        note={noteOf('given', 'bonus credits and adjustments')}
        href="/operator/promotions"
      />
      <Stat
        label="Corrections"
        value={inDollars(now.corrected)}
        note={noteOf('corrected', 'of charges that were too high')}
        href="/operator/corrections"
      />
      <Stat
        label="Errors"
        value={inNumber(refused)}
        note={total === 0 ? 'no requests' : `${((100 * refused) / total).toFixed(1)}% of all requests`}
        href="#errors"
      />
    </Stats>
  );
}

const joinNotes = (note: string, change: string | null): string =>
  change === null ? note : `${note}, ${change}`;

function Now({ state, sandboxes }: { state: ServiceState; sandboxes: Sandboxes }) {
  const { audit } = state;
  return (
    <Section title="Now">
      <dl className="grid gap-x-8 gap-y-4 text-sm sm:grid-cols-3">
        <Fact name="Requests running" value={inNumber(state.holds)} note={`${inDollars(state.held)} held`} />
        <Fact
          name="Holds past their lease"
          value={inNumber(state.overdue)}
          note="left by stopped instances, released within seconds"
        />
        <Fact
          name="Sandboxes"
          value={sandboxes.open.length === 0 ? 'Closed' : 'Open'}
          note={sandboxes.open.join(', ') || 'nothing is simulated'}
        />
        <div>
          <dt className="text-muted">Ledger audit</dt>
          <dd className="mt-0.5 font-medium">
            {audit === null
              ? 'Not run yet'
              : audit.differences.length === 0
                ? 'No differences'
                : 'Differences found'}
          </dd>
          {audit && (
            <dd className="text-[13px] text-muted">
              {describeAudited(audit.users)}, <Time at={audit.at.toISOString()} />
            </dd>
          )}
        </div>
      </dl>
    </Section>
  );
}

function describeAudited(users: number): string {
  if (users === 0) return 'no balance changed';
  return users === 1 ? '1 balance recomputed' : `${inNumber(users)} balances recomputed`;
}

function Fact({ name, value, note }: { name: string; value: string; note: string }) {
  return (
    <div>
      <dt className="text-muted">{name}</dt>
      <dd className="mt-0.5 font-medium tabular-nums">{value}</dd>
      <dd className="text-[13px] text-muted">{note}</dd>
    </div>
  );
}

const toUsd = (microcredits: bigint): number => creditsToJson(microcredits) / 100;

const chargesOf = (days: DaySums[]) =>
  days.flatMap(({ day, providerCost, partnerShare }) => [
    { day, name: 'Provider cost', value: toUsd(providerCost) },
    { day, name: 'Commission', value: toUsd(partnerShare) },
  ]);

function toRow({ name, requests, charge, providerCost, partnerShare }: NamedSums) {
  return {
    name,
    requests,
    charge: toUsd(charge),
    cost: toUsd(providerCost),
    share: toUsd(partnerShare),
  };
}
