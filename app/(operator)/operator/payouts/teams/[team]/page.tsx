import type { Metadata } from 'next';
import { notFound } from 'next/navigation';
import { cache } from 'react';
import { requireOperator } from '@/app/_session/session';
import { EmptyState } from '@/app/_ui/empty-state';
import { LogTable } from '@/app/_ui/log-table';
import { Notice } from '@/app/_ui/notice';
import { PageHead } from '@/app/_ui/page-head';
import { Pager, positionOf } from '@/app/_ui/pager';
import { Section } from '@/app/_ui/section';
import { Stat, Stats } from '@/app/_ui/stat';
import { settings } from '@/server/base/env';
import { readTeamEarnings } from '@/server/ledger';
import { listActions } from '@/server/operator/record';
import { findPayoutTeam, type PayoutTeam, searchPayouts } from '@/server/payments/payouts/operator-list';
import { Fact } from '../../../fact';
import { toLogRow } from '../../../log/to-log-row';
import { inDollars } from '../../../write-amounts';
import { toRow } from '../../describe-payout';
import { PayoutTable } from '../../payout-table';
import { TeamHoldButton, TermsButton } from '../../team-buttons';
import { EarningsTable } from './earnings-table';

const PAGE_SIZE = 25;
const SHOWN_ACTIONS = 20;

type Props = { params: Promise<{ team: string }>; searchParams: Promise<{ page?: string | string[] }> };

const requireTeam = cache(async (params: Props['params']): Promise<PayoutTeam> => {
  await requireOperator();
  return (await findPayoutTeam((await params).team)) ?? notFound();
});

export async function generateMetadata({ params }: Props): Promise<Metadata> {
  return { title: (await requireTeam(params)).name };
}

/** The payouts of one team: what it is owed, on which terms, and what it was paid. */
export default async function TeamPayoutsPage({ params, searchParams }: Props) {
  const team = await requireTeam(params);
  const { page: requested } = await searchParams;
  const page = typeof requested === 'string' && /^[1-9]\d{0,5}$/.test(requested) ? Number(requested) : 1;
  const { id: teamId } = team;
  const [earnings, { payouts, total }, { actions }] = await Promise.all([
    readTeamEarnings(teamId),
    searchPayouts({ teamId, limit: PAGE_SIZE, offset: (page - 1) * PAGE_SIZE }),
    listActions({ subject: teamId, limit: SHOWN_ACTIONS }),
  ]);
  const pageOf = (to: number) => `/operator/payouts/teams/${teamId}?page=${to}`;
  return (
    <>
      <PageHead
        back={{ href: '/operator/payouts', label: 'Payouts' }}
        title={team.name}
        description="Payouts are made to the whole team, for all its apps."
        actions={<TeamHoldButton teamId={teamId} name={team.name} isHeld={team.heldAt !== null} />}
      />
      {team.heldAt && (
        <div className="mb-6">
          <Notice kind="warning">Payouts of this team are paused. Reason: {team.heldReason}</Notice>
        </div>
      )}
      <Totals earnings={earnings} />
      <TermsSection team={team} />
      <Section title="Apps" flush>
        <EarningsTable rows={earnings.map((app) => toEarningsRow(app, team))} />
      </Section>
      <Section title="Payouts" description="Dates are in UTC." flush>
        <PayoutTable
          rows={payouts.map(toRow)}
          empty={<EmptyState title="No payouts yet">Payouts to this team appear here.</EmptyState>}
        />
        <Pager
          newer={page > 1 ? pageOf(page - 1) : undefined}
          older={page * PAGE_SIZE < total ? pageOf(page + 1) : undefined}
          position={positionOf({ page, rows: PAGE_SIZE, total })}
        />
      </Section>
      <Section title="Operator actions" flush>
        <LogTable of="operators" rows={actions.map(toLogRow)} withSubject={false} />
      </Section>
    </>
  );
}

type Earnings = Awaited<ReturnType<typeof readTeamEarnings>>;

function Totals({ earnings }: { earnings: Earnings }) {
  const sum = (pick: (app: Earnings[number]) => bigint) =>
    earnings.reduce((total, app) => total + pick(app), 0n);
  return (
    <Stats>
      <Stat label="Payable" value={inDollars(sum((app) => app.payable))} note="matured and not paid out" />
      <Stat label="Maturing" value={inDollars(sum((app) => app.maturing))} note="not payable yet" />
      <Stat
        label="Matured, still disputable"
        value={inDollars(sum((app) => app.disputable))}
        note="a dispute reverses it"
      />
      <Stat label="Paid out" value={inDollars(sum((app) => app.paidOut))} note="returned payouts excluded" />
    </Stats>
  );
}

const toEarningsRow = ({ partnerId, ...app }: Earnings[number], { apps }: PayoutTeam) => ({
  partnerId,
  name: apps.find(({ id }) => id === partnerId)?.name ?? partnerId,
  payable: inDollars(app.payable),
  maturing: inDollars(app.maturing),
  paidOut: inDollars(app.paidOut),
});

const ACCOUNTS: Record<string, string> = {
  onboarding: 'Not finished',
  active: 'Active',
  restricted: 'Something is due',
  rejected: 'Rejected by Stripe',
  closed: 'Closed',
};

function TermsSection({ team }: { team: PayoutTeam }) {
  const { PAYOUT_MINIMUM: defaultMinimum } = settings();
  const inText = (amount: bigint) => (Number(amount / 1_000_000n) / 100).toFixed(2);
  return (
    <Section
      title="Terms"
      description="Each app has its own maturity period."
      actions={
        <TermsButton
          teamId={team.id}
          minimum={team.minimum === null ? '' : inText(team.minimum)}
          reserve={inText(team.reserve)}
          defaultMinimum={defaultMinimum}
        />
      }
    >
      <dl className="grid gap-x-8 gap-y-4 text-sm sm:grid-cols-3">
        <Fact name="Minimum">
          {team.minimum === null ? `$${defaultMinimum}, the default` : inDollars(team.minimum)}
        </Fact>
        <Fact name="Reserve">{inDollars(team.reserve)}</Fact>
        <Fact name="Account at Stripe">
          {team.accountState === null ? 'none' : (ACCOUNTS[team.accountState] ?? team.accountState)}
        </Fact>
      </dl>
    </Section>
  );
}
