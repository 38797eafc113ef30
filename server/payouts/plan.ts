import { DAY_MS, now, nowDate } from '../clock';
import { type Microcredits, microcredits, wholeCredits, ZERO } from '../credits';
import { prisma } from '../db';
import { settings } from '../env';
import { newId } from '../ids';
import { createPayout, type PayoutCreation, readExposure } from '../ledger';
import { describeError, log } from '../log';
import { readPayoutPayee } from './payee-details';

/** Plans payouts: which team is paid what, and where. The ledger decides the amount and that a month has one. */

type Team = { id: string; payoutMinimum: bigint | null };

/** Where a team is paid, and what it still lacks for that. */
type Destination =
  | { method: 'stripe'; processorAccountId: string; approvedBy: string | null }
  | { method: 'manual'; processorAccountId: null; approvedBy: string | null }
  | { missing: 'account' | 'payee_details' };

export type RequestedPayout =
  | PayoutCreation
  | { outcome: 'not_ready'; what: 'account' | 'payee_details' }
  /** Payouts are planned by the calendar, and none of this month failed or was returned. */
  | { outcome: 'not_allowed' };

/** Makes the payouts of this month for all teams that have none, on its first day or as soon as possible. */
export async function planPayouts(): Promise<void> {
  if (settings().PAYOUT_SCHEDULE !== 'monthly') return;
  const { period, begin } = thisMonth();
  // Also not one that failed or was returned: what was wrong has to be put right first.
  const teams = await prisma().$queryRaw<Team[]>`
    SELECT t.id, t.payout_minimum AS "payoutMinimum" FROM team t
    WHERE t.payouts_held_at IS NULL
      AND NOT EXISTS (SELECT FROM payout o WHERE o.team_id = t.id AND o.period = ${begin}::date)
    ORDER BY t.id`;
  const owed = new Map((await readExposure()).map(({ teamId, payable }) => [teamId, payable]));
  for (const team of teams) {
    const { id } = team;
    if ((owed.get(id) ?? ZERO) < minimumOf(team)) continue;
    await plan(id, period, begin).catch((error: unknown) =>
      log().error({ teamId: id, error: describeError(error) }, 'a payout was not planned, will be retried'),
    );
  }
}

/** A payout that a member asks for: by the schedule `on_request`, or again after this month's did not arrive. */
export async function requestPayout(teamId: string): Promise<RequestedPayout> {
  const { period, begin } = thisMonth();
  if (settings().PAYOUT_SCHEDULE === 'on_request') return plan(teamId, period, today());
  const made = await prisma().payout.count({ where: { teamId, period: begin } });
  return made === 0 ? { outcome: 'not_allowed' } : plan(teamId, period, begin);
}

async function plan(
  teamId: string,
  period: string,
  asOf: Date,
): Promise<Exclude<RequestedPayout, { outcome: 'not_allowed' }>> {
  const destination = await findDestination(teamId);
  if ('missing' in destination) return { outcome: 'not_ready', what: destination.missing };
  const team = await prisma().team.findUniqueOrThrow({ where: { id: teamId } });
  return createPayout({
    ...{ payoutId: newId('po'), teamId, period, asOf },
    ...destination,
    minimum: minimumOf(team),
    payee: await readPayoutPayee(teamId),
  });
}

async function findDestination(teamId: string): Promise<Destination> {
  return settings().PAYOUTS === 'stripe' ? findAccount(teamId) : findBank(teamId);
}

async function findAccount(teamId: string): Promise<Destination> {
  const account = await prisma().payoutAccount.findUnique({ where: { teamId, state: 'active' } });
  const processorAccountId = account?.processorAccountId;
  if (!processorAccountId) return { missing: 'account' };
  const approved = await prisma().payout.count({
    where: { teamId, processorAccountId, approvedBy: { not: null } },
  });
  return { method: 'stripe', processorAccountId, approvedBy: approved > 0 ? 'service' : null };
}

/** Details that changed after the last payout that was approved need a new approval. */
async function findBank(teamId: string): Promise<Destination> {
  const details = await prisma().payeeDetails.findUnique({
    where: { teamId, destination: { not: null } },
    select: { updatedAt: true },
  });
  if (details === null) return { missing: 'payee_details' };
  const approved = await prisma().payout.count({
    where: { teamId, method: 'manual', approvedBy: { not: null }, createdAt: { gt: details.updatedAt } },
  });
  return { method: 'manual', processorAccountId: null, approvedBy: approved > 0 ? 'service' : null };
}

function minimumOf({ payoutMinimum }: Pick<Team, 'payoutMinimum'>): Microcredits {
  return payoutMinimum === null ? wholeCredits(settings().PAYOUT_MINIMUM * 100) : microcredits(payoutMinimum);
}

/** In UTC, like everything about payouts. */
function thisMonth(): { period: string; begin: Date } {
  const period = nowDate().toISOString().slice(0, 7);
  return { period, begin: new Date(`${period}-01`) };
}

const today = (): Date => new Date(Math.floor(now() / DAY_MS) * DAY_MS);
