import { Download } from 'lucide-react';
import type { Metadata } from 'next';
import { notFound } from 'next/navigation';
import type { ReactNode } from 'react';
import { Badge } from '@/app/_ui/badge';
import { BarChart } from '@/app/_ui/bar-chart';
import { buttonClass } from '@/app/_ui/button';
import { Notice } from '@/app/_ui/notice';
import { PageHead } from '@/app/_ui/page-head';
import { Pager } from '@/app/_ui/pager';
import { Section } from '@/app/_ui/section';
import { Time } from '@/app/_ui/time';
import { creditsToJson } from '@/server/base/credits';
import { findPayout, type PayoutDetails, readPayoutDays } from '@/server/payments/payouts/list-payouts';
import { writePaid } from '@/server/payments/payouts/statement';
import { inDollars } from '../../money';
import { describePayout, writeMonth } from '../../payout-words';
import { requireApp } from '../../require-app';
import { urlOf } from '../../search';
import { ByAppTable, ByDayTable, ByModelTable } from './breakdown-tables';

export const metadata: Metadata = { title: 'Payout' };

type Props = {
  params: Promise<{ app: string; payout: string }>;
  searchParams: Promise<{ month?: string | string[] }>;
};

/** One payout of the team: its state, and what it consists of. */
export default async function PayoutPage({ params, searchParams }: Props) {
  const app = await requireApp({ params }, 'see_payouts');
  const payout = (await findPayout((await params).payout, app.teamId)) ?? notFound();
  const { month } = await searchParams;
  const days = await readPayoutDays(payout.id, typeof month === 'string' ? month : undefined);
  const path = `/partner/${app.id}/payouts/${payout.id}`;
  return (
    <>
      <PageHead
        back={{ href: `/partner/${app.id}/payouts`, label: 'Payouts' }}
        title={`Payout of ${writeMonth(payout.period)}`}
        description={`${inDollars(payout.amount)} for all apps of ${payout.teamName}.`}
        actions={<Statements path={path} />}
      />
      <State payout={payout} />
      <Section title="By app" description="In credits: 100 credits are 1 USD." flush>
        <ByAppTable rows={payout.lines.map(toAppRow)} />
      </Section>
      <Section title="By model" description="In credits." flush>
        <ByModelTable rows={toModelRows(payout)} />
      </Section>
      {days.month !== null && (
        <Section
          title={`By day in ${writeMonth(days.month)}`}
          description="In credits. Dates are in UTC."
          flush
        >
          <div className="px-5 pt-2 pb-4">
            <BarChart
              title="Earned by day"
              unit="credits"
              series={['Earned']}
              rows={days.days.toReversed().map(({ day, earned }) => ({
                label: day.slice(8),
                values: { Earned: creditsToJson(earned) },
              }))}
            />
          </div>
          <ByDayTable
            rows={days.days.map(({ day, requests, earned, reversed }) => ({
              day,
              requests: Number(requests),
              earned: creditsToJson(earned),
              reversed: creditsToJson(reversed),
              net: creditsToJson(earned + reversed),
            }))}
          />
          <Months path={path} months={days.months} month={days.month} />
        </Section>
      )}
    </>
  );
}

function Statements({ path }: { path: string }) {
  const look = buttonClass({ look: 'secondary', size: 'medium' });
  return (
    <>
      <a href={`${path}/statement.pdf`} className={look}>
        <Download size={16} aria-hidden="true" />
        Statement PDF
      </a>
      <a href={`${path}/statement.csv`} download className={look}>
        <Download size={16} aria-hidden="true" />
        Statement CSV
      </a>
    </>
  );
}

const NOTICES = { neutral: 'info', positive: 'positive', warning: 'warning', danger: 'danger' } as const;

function State({ payout }: { payout: PayoutDetails }) {
  const { label, look, text, advice } = describePayout(payout);
  const { createdAt, sentAt, endedAt, method, reference, paid, payee } = payout;
  return (
    <Section
      title={
        <span className="flex flex-wrap items-center gap-2">
          State <Badge look={look}>{label}</Badge>
        </span>
      }
    >
      <Notice kind={NOTICES[look]}>
        {text}
        {advice && ` ${advice}`}
      </Notice>
      <dl className="mt-5 grid gap-x-6 gap-y-3 text-sm sm:grid-cols-[max-content_1fr]">
        <Fact name="Amount">{inDollars(payout.amount)}</Fact>
        <Fact name="Planned">
          <Time at={createdAt.toISOString()} />
        </Fact>
        {sentAt && (
          <Fact name="Sent">
            <Time at={sentAt.toISOString()} />
          </Fact>
        )}
        {endedAt && (payout.state === 'returned' || payout.state === 'failed') && (
          <Fact name={payout.state === 'returned' ? 'Returned' : 'Failed'}>
            <Time at={endedAt.toISOString()} />
          </Fact>
        )}
        <Fact name="Paid to">
          {method === 'stripe'
            ? 'Your Stripe account'
            : payee?.destinationEnding
              ? `${payee.name}, account ending in ${payee.destinationEnding}`
              : 'The account in your payee details'}
        </Fact>
        {reference && <Fact name="Reference">{reference}</Fact>}
        {paid && <Fact name="Received">{writePaid(paid)}</Fact>}
        <Fact name="Payout ID">
          <code className="font-mono text-[13px] break-all">{payout.id}</code>
        </Fact>
      </dl>
    </Section>
  );
}

function Fact({ name, children }: { name: string; children: ReactNode }) {
  return (
    <div className="contents">
      <dt className="text-muted">{name}</dt>
      <dd className="min-w-0 wrap-anywhere">{children}</dd>
    </div>
  );
}

const toAppRow = (line: PayoutDetails['lines'][number]) => ({
  app: line.app,
  carriedBefore: creditsToJson(line.carriedBefore),
  earned: creditsToJson(line.earned),
  reversed: creditsToJson(line.reversed),
  carriedAfter: creditsToJson(line.carriedAfter),
  amount: creditsToJson(line.amount),
});

function toModelRows({ models }: PayoutDetails) {
  const most = models.reduce((all, { earned }) => (earned > all ? earned : all), 0n);
  return models.map(({ model, requests, earned, reversed }) => ({
    model,
    requests: Number(requests),
    earned: creditsToJson(earned),
    reversed: creditsToJson(reversed),
    part: most === 0n ? 0 : Number((earned * 1000n) / most) / 1000,
  }));
}

function Months({ path, months, month }: { path: string; months: string[]; month: string }) {
  const at = months.indexOf(month);
  const link = (other: string | undefined) =>
    other === undefined ? undefined : urlOf(path, { month: other });
  return (
    <Pager
      newer={at > 0 ? link(months[at - 1]) : undefined}
      older={link(months[at + 1])}
      position={`${at + 1} of ${months.length} months`}
    />
  );
}
