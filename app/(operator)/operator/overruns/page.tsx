import { CircleCheck } from 'lucide-react';
import type { Metadata } from 'next';
import { requireOperator } from '@/app/_session/session';
import { BarChart } from '@/app/_ui/bar-chart';
import { EmptyState } from '@/app/_ui/empty-state';
import { PageHead } from '@/app/_ui/page-head';
import { PageLink } from '@/app/_ui/page-link';
import { ROW_LINK } from '@/app/_ui/row-link';
import { Section } from '@/app/_ui/section';
import { Stat, Stats } from '@/app/_ui/stat';
import { Time } from '@/app/_ui/time';
import { creditsToJson } from '@/server/base/credits';
import type { LossReason } from '@/server/ledger';
import { listPaused, type Overruns, type Paused, readOverruns } from '@/server/operator/overruns';
import { barStepOf, barsOf } from '@/server/reports/activity/bars';
import type { Range } from '@/server/reports/activity/install-activity';
import { PERIODS, type Period, readPeriod } from '@/server/reports/activity/periods';
import { PeriodLinks } from '../choice-links';
import { inCredits, inDollars, inNumber } from '../write-amounts';
import { LatestTable, LossTable, SumTable } from './overrun-tables';
import { ResumeButton } from './resume-button';

export const metadata: Metadata = { title: 'Overruns' };

const ROWS_SHOWN = 20;
const DELETED = 'a deleted account';

type Props = { searchParams: Promise<{ period?: string }> };

export default async function OverrunsPage({ searchParams }: Props) {
  await requireOperator();
  const { period: requested } = await searchParams;
  const period: Period = PERIODS.find((known) => known === requested) ?? '30d';
  const range = readPeriod(period);
  const [paused, overruns] = await Promise.all([listPaused(), readOverruns(range, ROWS_SHOWN)]);
  return (
    <>
      <PageHead
        title="Overruns"
        description="Provider costs above the amount held, and calls without a charge, in credits. You pay these, not your users. Dates are in UTC."
        actions={<PeriodLinks current={period} />}
      />
      {paused.length > 0 && (
        <Section
          title="Paused for review"
          description="Overruns exceeded their limit within 24 hours. All requests are refused until you resume them."
          flush
        >
          <ul>
            {paused.map((entry) => (
              <PausedItem key={entry.kind === 'user' ? entry.userRef : entry.partnerId} paused={entry} />
            ))}
          </ul>
        </Section>
      )}
      {overruns.losses.length > 0 && (
        <Section
          title="Calls without a charge"
          description="Failed requests that providers billed, or may have billed. Estimates are the most a call may have cost."
          flush
        >
          <LossTable rows={overruns.losses.map(toLossRow)} />
        </Section>
      )}
      {overruns.total.requests === 0 ? (
        <Section>
          <EmptyState icon={<CircleCheck size={20} aria-hidden="true" />} title="No overruns">
            No request cost more than its hold in this period. Requests that do appear here.
          </EmptyState>
        </Section>
      ) : (
        <PeriodOverruns overruns={overruns} range={range} period={period} />
      )}
    </>
  );
}

function PausedItem({ paused }: { paused: Paused }) {
  const [name, href] =
    paused.kind === 'user'
      ? [paused.email ?? DELETED, `/operator/users/${paused.userRef}`]
      : [paused.name, `/operator/apps/${paused.partnerId}`];
  return (
    <li className="flex flex-wrap items-start justify-between gap-4 border-b border-line/70 px-5 py-4 text-sm last:border-0">
      <div className="min-w-0 flex-1 basis-56">
        <p>
          <PageLink href={href} className={`font-medium wrap-anywhere ${ROW_LINK}`}>
            {name}
          </PageLink>
        </p>
        <p className="mt-1 text-[13px] text-muted">
          {paused.kind === 'user' ? 'User, paused in all apps' : 'App, paused for all users'} ·{' '}
          {inCredits(paused.overrun)} credits · <Time at={paused.pausedAt.toISOString()} />
        </p>
      </div>
      <ResumeButton
        name={name}
        subject={
          paused.kind === 'user'
            ? { kind: 'user', userRef: paused.userRef }
            : { kind: 'app', partnerId: paused.partnerId }
        }
      />
    </li>
  );
}

function PeriodOverruns({ overruns, range, period }: { overruns: Overruns; range: Range; period: Period }) {
  const { total, days, models, apps, users, latest } = overruns;
  const title = `Overruns by ${barStepOf(period)}`;
  const bars = days.map(({ day, model, overrun }) => ({ day, name: model, value: creditsToJson(overrun) }));
  return (
    <>
      <Stats>
        <Stat label="Overruns" value={inCredits(total.overrun)} note={`worth ${inDollars(total.overrun)}`} />
        <Stat label="Requests" value={inNumber(total.requests)} note="cost more than their hold" />
      </Stats>
      <Section title={title} description="By model.">
        <BarChart title={title} unit="credits" {...barsOf(bars, range, period)} />
      </Section>
      <Section title="Models" flush>
        <SumTable what="Model" rows={models.map((sums) => toRow(sums.model, null, sums))} />
      </Section>
      <Section title="Apps" flush>
        <SumTable
          what="App"
          rows={apps.map((sums) => toRow(sums.name, `/operator/apps/${sums.partnerId}`, sums))}
        />
      </Section>
      <Section title="Users" flush>
        <SumTable
          what="User"
          rows={users.map((sums) => toRow(sums.email ?? DELETED, `/operator/users/${sums.userRef}`, sums))}
        />
      </Section>
      <Section title="Latest requests" description={`The newest ${ROWS_SHOWN}, with their receipts.`} flush>
        <LatestTable
          rows={latest.map(({ requestId, userRef, appName, model, at, held, cost }) => ({
            href: `/operator/users/${userRef}/requests/${requestId}`,
            at: at.toISOString(),
            model,
            appName,
            held: creditsToJson(held),
            cost: creditsToJson(cost),
            overrun: creditsToJson(cost - held),
          }))}
        />
      </Section>
    </>
  );
}

const toLossRow = ({ reason, requests, cost, estimated }: Overruns['losses'][number]) => ({
  reason: LOSS_REASONS[reason],
  requests,
  cost: creditsToJson(cost),
  estimated: creditsToJson(estimated),
});

const LOSS_REASONS: Record<LossReason, string> = {
  timeout: 'The provider did not respond in time',
  connection_lost: 'The connection to the provider broke',
  failed_job: 'The provider did not complete a job',
  instance_died: 'The instance stopped without settling the request',
  unreadable_response: 'The response could not be read',
  failed_response: 'The provider reported an error after billable work',
  settled_late: 'The instance was paused, and the request was settled without it',
};

const toRow = (name: string, href: string | null, sums: { requests: number; overrun: bigint }) => ({
  name,
  href,
  requests: sums.requests,
  overrun: creditsToJson(sums.overrun),
});
