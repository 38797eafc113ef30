import { CircleCheck } from 'lucide-react';
import { PasskeyNotice } from '@/app/_session/passkey-notice';
import { requireOperator } from '@/app/_session/session';
import { BarChart } from '@/app/_ui/bar-chart';
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
  readByModel,
  readByPartner,
  readDays,
  readMoney,
  readRefusals,
} from '@/server/reports/activity/install-activity';
import { PERIODS, type Period, readPeriod } from '@/server/reports/activity/periods';
import { PeriodLinks } from './period-links';
import { UsageTable } from './usage-table';
import { inDollars, inNumber } from './write-amounts';

const TOP_MODELS = 8;

type Props = { searchParams: Promise<{ period?: string }> };

export default async function OverviewPage({ searchParams }: Props) {
  await requireOperator();
  const { period: requested } = await searchParams;
  const period: Period = PERIODS.find((known) => known === requested) ?? '30d';
  const range = readPeriod(period);
  const [days, apps, models, money, refusals, state, alerts] = await Promise.all([
    readDays(range),
    readByPartner(range),
    readByModel(range, TOP_MODELS),
    readMoney(range),
    readRefusals(range),
    readServiceState(),
    listPaymentsNeedingAttention(),
  ]);
  const sandboxes = describeSandboxes(settings());
  const step = period === '12m' ? 'month' : 'day';
  const refused = refusals.reduce((sum, { count }) => sum + count, 0);
  return (
    <>
      <PageHead title="Overview" actions={<PeriodLinks current={period} />} />
      <PasskeyNotice />
      <Attention state={state} alerts={alerts.length} sandboxes={sandboxes} />
      <Totals days={days} refused={refused} money={money} />
      <Section title={`Charged by ${step}`} description="In USD, to users of all apps. Dates are in UTC.">
        {days.length === 0 ? (
          <EmptyState title="No requests yet">Nothing was charged in this period.</EmptyState>
        ) : (
          <BarChart title={`Charged by ${step}`} unit="USD" {...barsOf(chargesOf(days), range, period)} />
        )}
      </Section>
      <Section
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
      <Section title="Apps" flush>
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

function Totals({
  days,
  refused,
  money,
}: {
  days: DaySums[];
  refused: number;
  money: Record<string, bigint>;
}) {
  const sum = (pick: (day: DaySums) => bigint) => days.reduce((total, day) => total + pick(day), 0n);
  const requests = days.reduce((total, day) => total + day.requests, 0);
  const [charge, cost, share] = [
    sum((d) => d.charge),
    sum((d) => d.providerCost),
    sum((d) => d.partnerShare),
  ];
  const back = -((money.refund ?? 0n) + (money.chargeback ?? 0n));
  const total = requests + refused;
  return (
    <Stats>
      <Stat label="Requests" value={inNumber(requests)} note="charged" />
      <Stat label="Charged to users" value={inDollars(charge)} note="usage revenue" />
      <Stat
        label="Provider cost"
        value={inDollars(cost)}
        note={`${inDollars(share)} commission to partners`}
      />
      <Stat label="Margin" value={inDollars(charge - cost - share)} note="charged − cost − commission" />
      <Stat label="Credits sold" value={inDollars(money.purchase ?? 0n)} note="value at purchase" />
      <Stat label="Reversed" value={inDollars(back)} note="refunds and disputes" />
      <Stat label="Adjustments" value={inDollars(money.adjustment ?? 0n)} note="by operators" />
      <Stat label="Bonus credits" value={inDollars(money.promotion ?? 0n)} note="from promotions" />
      {money.correction !== undefined && (
        <Stat label="Corrections" value={inDollars(money.correction)} note="of charges that were too high" />
      )}
      <Stat
        label="Errors"
        value={inNumber(refused)}
        note={total === 0 ? 'no requests' : `${((100 * refused) / total).toFixed(1)}% of all requests`}
      />
    </Stats>
  );
}

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
