import { CircleCheck } from 'lucide-react';
import type { Metadata } from 'next';
import { requireOperator } from '@/app/_session/session';
import { buttonClass } from '@/app/_ui/button';
import { EmptyState } from '@/app/_ui/empty-state';
import { PageHead } from '@/app/_ui/page-head';
import { PageLink } from '@/app/_ui/page-link';
import { Pager, positionOf } from '@/app/_ui/pager';
import { ROW_LINK } from '@/app/_ui/row-link';
import { Section } from '@/app/_ui/section';
import { Stat, Stats } from '@/app/_ui/stat';
import { Time } from '@/app/_ui/time';
import { nowDate } from '@/server/base/clock';
import { settings } from '@/server/base/env';
import { readExposure } from '@/server/ledger';
import {
  type Attention,
  type ListedPayout,
  listPayoutsNeedingAttention,
  nameTeams,
  searchPayouts,
  sumSentThisMonth,
} from '@/server/payments/payouts/operator-list';
import { readPage } from '../read-page';
import { inDollars } from '../write-amounts';
import { ATTENTION, toButtons, toRow } from './describe-payout';
import { type ExposureRow, ExposureTable } from './exposure-table';
import { PayoutBadge } from './payout-badge';
import { PayoutButtons } from './payout-buttons';
import { PayoutTable } from './payout-table';
import { SearchField } from './search-field';

export const metadata: Metadata = { title: 'Payouts' };

const PAGE_SIZE = 25;

type Props = { searchParams: Promise<{ page?: string | string[]; q?: string | string[] }> };

export default async function PayoutsPage({ searchParams }: Props) {
  await requireOperator();
  const { page: requested, q } = await searchParams;
  const page = readPage(requested);
  const text = typeof q === 'string' ? q.trim().slice(0, 200) : '';
  const [due, exposure, names, sent, found] = await Promise.all([
    listPayoutsNeedingAttention(),
    readExposure(),
    nameTeams(),
    sumSentThisMonth(),
    searchPayouts({ text, limit: PAGE_SIZE, offset: (page - 1) * PAGE_SIZE }),
  ]);
  const sum = (pick: (team: Exposure) => bigint) => exposure.reduce((total, team) => total + pick(team), 0n);
  return (
    <>
      <PageHead title="Payouts" description={describeSettings()} actions={<Exports />} />
      <Stats>
        <Stat
          label="Payable"
          value={inDollars(sum((team) => team.payable))}
          note="matured and not paid out"
        />
        <Stat label="Maturing" value={inDollars(sum((team) => team.maturing))} note="not payable yet" />
        <Stat
          label="Paid out, still disputable"
          value={inDollars(sum(paidDisputable))}
          note="your exposure"
        />
        <Stat label="Sent this month" value={inDollars(sent.amount)} note={countPayouts(sent.count)} />
      </Stats>
      <Due payouts={due} />
      <Section
        title="Exposure"
        description="Cardholders can dispute a payment for about 120 days. A dispute of credits whose commission was paid out lowers the next payout."
        flush
      >
        <ExposureTable rows={exposure.map((team) => toExposureRow(team, names)).sort(largestFirst)} />
      </Section>
      <Section
        title="All payouts"
        description="Dates are in UTC."
        actions={<SearchField text={text} />}
        flush
      >
        <PayoutTable rows={found.payouts.map(toRow)} empty={<NoPayouts text={text} />} />
        <Pager
          newer={page > 1 ? pageOf(page - 1, text) : undefined}
          older={page * PAGE_SIZE < found.total ? pageOf(page + 1, text) : undefined}
          position={positionOf({ page, rows: PAGE_SIZE, total: found.total })}
        />
      </Section>
    </>
  );
}

const EXPORTED_YEARS = 2;

/** The year's payouts by team, for tax reports: this year and the last. */
function Exports() {
  const year = nowDate().getUTCFullYear();
  return Array.from({ length: EXPORTED_YEARS }, (_, ago) => year - ago).map((each) => (
    <a
      key={each}
      href={`/operator/payouts/export/${each}`}
      className={buttonClass({ look: 'secondary', size: 'small' })}
    >
      Export {each}
    </a>
  ));
}

function describeSettings(): string {
  const { PAYOUTS, PAYOUT_SCHEDULE, PAYOUT_MINIMUM } = settings();
  const how = PAYOUTS === 'stripe' ? 'Stripe pays' : 'You pay';
  const when = PAYOUT_SCHEDULE === 'monthly' ? 'on the first of each month' : 'once a month, when they ask';
  return `${how} teams ${when}, from $${PAYOUT_MINIMUM}.`;
}

const countPayouts = (count: number): string => (count === 1 ? '1 payout' : `${count} payouts`);

const pageOf = (page: number, text: string): string =>
  `/operator/payouts?${new URLSearchParams({ ...(text !== '' && { q: text }), page: String(page) })}`;

type Exposure = Awaited<ReturnType<typeof readExposure>>[number];

/** What is payable is the newest of what has matured, so the rest of it that is disputable was paid out. */
function paidDisputable({ disputable, payable, paidOut }: Exposure): bigint {
  const rest = disputable - (payable > 0n ? payable : 0n);
  return rest < 0n ? 0n : rest > paidOut ? paidOut : rest;
}

const MICROCREDITS_PER_DOLLAR = 100_000_000;

function toExposureRow(team: Exposure, names: Awaited<ReturnType<typeof nameTeams>>): ExposureRow {
  const dollars = (amount: bigint) => Number(amount) / MICROCREDITS_PER_DOLLAR;
  const named = names.get(team.teamId);
  return {
    teamId: team.teamId,
    name: named?.name ?? team.teamId,
    isHeld: named?.isHeld ?? false,
    paidDisputable: dollars(paidDisputable(team)),
    payable: dollars(team.payable),
    maturing: dollars(team.maturing),
    paidOut: dollars(team.paidOut),
  };
}

const largestFirst = (one: ExposureRow, other: ExposureRow): number =>
  other.paidDisputable - one.paidDisputable ||
  other.payable - one.payable ||
  one.name.localeCompare(other.name);

function Due({ payouts }: { payouts: (ListedPayout & { attention: Attention })[] }) {
  if (payouts.length === 0)
    return (
      <Section>
        <EmptyState icon={<CircleCheck size={20} aria-hidden="true" />} title="No payouts need attention">
          Payouts to approve or to pay, and those that wait, failed or came back, appear here.
        </EmptyState>
      </Section>
    );
  const kinds = [...new Set(payouts.map(({ attention }) => attention))];
  return kinds.map((kind) => {
    const [title, description] = ATTENTION[kind];
    return (
      <Section key={kind} title={title} description={description} flush>
        <ul>
          {payouts
            .filter(({ attention }) => attention === kind)
            .map((payout) => (
              <DuePayout key={payout.id} payout={payout} />
            ))}
        </ul>
      </Section>
    );
  });
}

function DuePayout({ payout }: { payout: ListedPayout }) {
  return (
    <li className="flex flex-wrap items-start justify-between gap-4 border-b border-line/70 px-5 py-4 text-sm last:border-0">
      <div className="min-w-0 flex-1 basis-64">
        <p className="flex flex-wrap items-center gap-2">
          <PayoutBadge {...payout} />
          <span className="font-medium tabular-nums">{inDollars(payout.amount)}</span>
          <span className="min-w-0 wrap-anywhere">
            to{' '}
            <PageLink href={`/operator/payouts/${payout.id}`} className={`font-medium ${ROW_LINK}`}>
              {payout.teamName}
              <span className="sr-only">, {payout.period}</span>
            </PageLink>
          </span>
        </p>
        <p className="mt-1.5 wrap-anywhere text-muted">
          {payout.detail && `${payout.detail} · `}
          {payout.period} · planned <Time at={payout.createdAt.toISOString()} />
        </p>
      </div>
      <div className="flex flex-wrap gap-2">
        {payout.attention === 'approve' || payout.attention === 'pay' ? (
          <PageLink
            href={`/operator/payouts/${payout.id}`}
            className={buttonClass({ look: 'primary', size: 'small' })}
            aria-label={`Review: ${inDollars(payout.amount)} to ${payout.teamName}`}
          >
            Review
          </PageLink>
        ) : (
          <PayoutButtons {...toButtons(payout)} />
        )}
      </div>
    </li>
  );
}

const NoPayouts = ({ text }: { text: string }) =>
  text === '' ? (
    <EmptyState title="No payouts yet">
      Teams whose payable earnings reach the minimum are paid. Their payouts appear here.
    </EmptyState>
  ) : (
    <EmptyState title="No payouts found">
      Search by the name of a team or app, a payout (po_…), a transfer (tr_…) or a reference.
    </EmptyState>
  );
