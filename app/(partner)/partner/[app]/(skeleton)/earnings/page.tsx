import { ChartNoAxesColumn } from 'lucide-react';
import type { Metadata } from 'next';
import { BarChart } from '@/app/_ui/bar-chart';
import { EmptyState } from '@/app/_ui/empty-state';
import { PageHead } from '@/app/_ui/page-head';
import { PageLink } from '@/app/_ui/page-link';
import { Section } from '@/app/_ui/section';
import { Stat, Stats } from '@/app/_ui/stat';
import { creditsToJson } from '@/server/base/credits';
import { type Earnings, readEarnings } from '@/server/ledger';
import { hasRight } from '@/server/partners/rights';
import { barStepOf, barsOf, sumBySteps, withForecast } from '@/server/reports/activity/bars';
import { type Forecast, readForecast } from '@/server/reports/activity/forecast';
import { type EarningsDay, readEarningsDays } from '@/server/reports/activity/partner-activity';
import { type Period, readPeriod } from '@/server/reports/activity/periods';
import { ExportLink } from '../../export-link';
import { FilterForm } from '../../filter-form';
import { inCredits, inDollars } from '../../money';
import { PERIOD_WORDS, PeriodField, readPeriodChoice } from '../../period-field';
import { type AppParams, requireMember } from '../../require-app';
import { ByModelTable, ByTimeTable } from './earnings-tables';

export const metadata: Metadata = { title: 'Earnings' };

type Props = AppParams & { searchParams: Promise<{ period?: string | string[] }> };

export default async function EarningsPage({ params, searchParams }: Props) {
  const { app, role } = await requireMember({ params });
  const period = readPeriodChoice((await searchParams).period);
  const range = readPeriod(period);
  const [earnings, days, forecast] = await Promise.all([
    readEarnings(app.id),
    readEarningsDays(app.id, range),
    readForecast(app.id),
  ]);
  const bars = barsOf(toPoints(days), range, period);
  const path = `/partner/${app.id}/earnings`;
  const seesPayouts = hasRight(role, 'see_payouts');
  const net = days.reduce((sum, day) => sum + day.net, 0n);
  return (
    <>
      <PageHead
        title="Earnings"
        description={`Your commission on each request. Earnings mature after ${earnings.holdDays} days. Refunds, disputes and corrections can reverse them for ${Math.max(earnings.holdDays, 120)} days. Credits granted by the operator earn nothing.`}
      />
      <Numbers earnings={earnings} payoutsPath={seesPayouts ? `/partner/${app.id}/payouts` : null} />
      {forecast !== null && <MonthForecast forecast={forecast} />}
      <Section
        title={`By ${barStepOf(period)} and model`}
        description={`${PERIOD_WORDS[period]}: ${inCredits(net)} credits, ${inDollars(net)}. Dates are in UTC.`}
        actions={<Controls path={path} period={period} />}
      >
        {days.length === 0 ? (
          <EmptyState
            icon={<ChartNoAxesColumn size={22} aria-hidden="true" />}
            title="No earnings in this period"
          >
            {app.rateBp === 0 ? (
              <>
                Your commission is 0%.{' '}
                <PageLink href={`/partner/${app.id}/commission`} className="text-accent underline">
                  Set a rate
                </PageLink>{' '}
                to earn on each request.
              </>
            ) : (
              'You earn on every request that users make in your app.'
            )}
          </EmptyState>
        ) : (
          <BarChart
            title={`Commission earned by ${barStepOf(period)} and model`}
            unit="credits"
            {...(forecast === null || period === '7d'
              ? bars
              : withForecast(bars, toValues(forecast), period))}
          />
        )}
      </Section>
      {days.length > 0 && <Tables days={days} period={period} />}
    </>
  );
}

/** Without `payoutsPath`, for a member who sees no payouts. */
function Numbers({ earnings, payoutsPath }: { earnings: Earnings; payoutsPath: string | null }) {
  return (
    <Stats>
      <Stat
        label="Matured, all time"
        value={inDollars(earnings.matured)}
        note={`${inCredits(earnings.matured)} credits`}
      />
      <Stat
        label="Maturing"
        value={inDollars(earnings.maturing)}
        note={`${inCredits(earnings.maturing)} credits`}
      />
      {payoutsPath !== null && (
        <>
          <Stat
            label="Paid out, all time"
            value={inDollars(earnings.paidOut)}
            note={`${inCredits(earnings.paidOut)} credits`}
          />
          <Stat
            label="Payable now"
            value={inDollars(earnings.payable)}
            note={
              <>
                From this app.{' '}
                <PageLink href={payoutsPath} className="text-accent underline">
                  Payouts
                </PageLink>
              </>
            }
          />
        </>
      )}
    </Stats>
  );
}

/** In words; the chart draws what is still to come. */
function MonthForecast({ forecast: { expected, low, high } }: { forecast: Forecast }) {
  return (
    <Section
      title="Forecast of this month"
      description="Earned so far, plus the median of the last eight same weekdays for each remaining day. The range uses their quartiles. Later refunds and disputes reduce it."
    >
      <p className="text-2xl font-semibold tracking-tight tabular-nums">{inDollars(expected)}</p>
      <p className="mt-1 text-[13px] text-muted tabular-nums">
        {inCredits(expected)} credits · range {inDollars(low)} to {inDollars(high)}
      </p>
    </Section>
  );
}

type Net = { net: bigint; reversed: bigint };

function Tables({ days, period }: { days: EarningsDay[]; period: Period }) {
  const steps = sumBySteps<EarningsDay, Net>(
    days,
    period,
    (sum = { net: 0n, reversed: 0n }, { net, reversed }) => ({
      net: sum.net + net,
      reversed: sum.reversed + reversed,
    }),
  );
  return (
    <>
      <Section title="By model" description="In credits." flush>
        <ByModelTable rows={byModel(days)} />
      </Section>
      <Section title={`By ${barStepOf(period)}`} description="In credits." flush>
        <ByTimeTable
          rows={steps.reverse().map(({ step, sum: { net, reversed } }) => ({
            step,
            earned: creditsToJson(net + reversed),
            reversed: creditsToJson(reversed),
            net: creditsToJson(net),
          }))}
        />
      </Section>
    </>
  );
}

function Controls({ path, period }: { path: string; period: Period }) {
  return (
    <div className="flex flex-wrap items-center gap-2 max-sm:w-full max-sm:[&>form]:flex-1">
      <FilterForm path={path}>
        <PeriodField period={period} />
      </FilterForm>
      <ExportLink href={`${path}/export?period=${period}`} />
    </div>
  );
}

const toValues = ({ days }: Forecast) =>
  days.map(({ day, amount }) => ({ day, value: creditsToJson(amount) }));

const toPoints = (days: EarningsDay[]) =>
  days.flatMap(({ day, earned }) =>
    earned.map(({ model, amount }) => ({ day, name: model, value: creditsToJson(amount) })),
  );

function byModel(days: EarningsDay[]): { model: string; earned: number; share: number }[] {
  const sums = new Map<string, bigint>();
  for (const { model, amount } of days.flatMap(({ earned }) => earned))
    sums.set(model, (sums.get(model) ?? 0n) + amount);
  const all = creditsToJson([...sums.values()].reduce((sum, amount) => sum + amount, 0n));
  return [...sums]
    .map(([model, amount]) => ({ model, earned: creditsToJson(amount) }))
    .sort((a, b) => b.earned - a.earned)
    .map((row) => ({ ...row, share: all === 0 ? 0 : row.earned / all }));
}
