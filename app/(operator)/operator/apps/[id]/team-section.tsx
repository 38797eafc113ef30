import { buttonClass } from '@/app/_ui/button';
import { PageLink } from '@/app/_ui/page-link';
import { Section } from '@/app/_ui/section';
import { readTeamEarnings } from '@/server/ledger';
import { findPayoutTeam } from '@/server/payments/payouts/operator-list';
import { Fact } from '../../fact';
import { inDollars } from '../../write-amounts';

/** The team that the app belongs to, and what it is owed for all its apps. */
export async function TeamSection({ teamId }: { teamId: string | null }) {
  const team = teamId === null ? null : await findPayoutTeam(teamId);
  if (team === null)
    return (
      <Section title="Team">
        <p className="text-sm text-muted">
          Nobody manages this app but operators, so its earnings are not paid out.
        </p>
      </Section>
    );
  const earnings = await readTeamEarnings(team.id);
  const sum = (pick: (app: (typeof earnings)[number]) => bigint) =>
    earnings.reduce((total, app) => total + pick(app), 0n);
  return (
    <Section
      title={`Team ${team.name}`}
      description={
        team.heldAt === null
          ? 'One payout covers all apps of the team.'
          : `Payouts are paused: ${team.heldReason}`
      }
      actions={
        <PageLink
          href={`/operator/payouts/teams/${team.id}`}
          className={buttonClass({ look: 'secondary', size: 'small' })}
        >
          Open payouts
        </PageLink>
      }
    >
      <dl className="grid gap-x-8 gap-y-4 text-sm sm:grid-cols-3">
        <Fact name="Payable">{inDollars(sum((app) => app.payable))}</Fact>
        <Fact name="Matured, still disputable">{inDollars(sum((app) => app.disputable))}</Fact>
        <Fact name="Paid out">{inDollars(sum((app) => app.paidOut))}</Fact>
      </dl>
    </Section>
  );
}
