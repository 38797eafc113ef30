import type { PayoutAccount } from '../../../prisma/client/client';
import { nowDate } from '../../base/clock';
import { type Microcredits, microcredits, wholeCredits, ZERO } from '../../base/credits';
import { prisma } from '../../base/db';
import { settings } from '../../base/env';
import { type AppEarnings, readTeamEarnings } from '../../ledger';
import { readPayoutAccount } from './accounts';
import { listPayouts, type PayoutView } from './list-payouts';
import { type PayeeDetails, readPayeeDetails } from './payee-details';

/** Why the next payout waits. */
export type Wait =
  | { what: 'held'; reason: string | null }
  | { what: 'account'; state: string | null; dueFields: string[] }
  | { what: 'destination' }
  | { what: 'below_minimum' }
  /** This month's payout did not arrive; there is another on request only. */
  | { what: 'ended'; payout: PayoutView };

export type PayoutOutlook = {
  teamName: string;
  apps: (AppEarnings & { app: string })[];
  payable: Microcredits;
  maturing: Microcredits;
  paidOut: Microcredits;
  minimum: Microcredits;
  reserve: Microcredits;
  method: 'stripe' | 'manual';
  account: PayoutAccount | null;
  payee: PayeeDetails | null;
  /** This month's payout; null if there is none yet. */
  current: PayoutView | null;
  /** The day on which the next payout is planned; null if only a request plans it. */
  plannedOn: Date | null;
  waits: Wait[];
  canRequest: boolean;
};

/** What a team is paid next, and what is missing for it. */
export async function readOutlook(teamId: string): Promise<PayoutOutlook> {
  const { PAYOUTS: method, PAYOUT_SCHEDULE: schedule, PAYOUT_MINIMUM: minimum } = settings();
  const [team, partners, earnings, account, payee, { payouts }] = await Promise.all([
    prisma().team.findUniqueOrThrow({ where: { id: teamId } }),
    prisma().partner.findMany({ where: { teamId }, select: { id: true, name: true } }),
    readTeamEarnings(teamId),
    readPayoutAccount(teamId),
    readPayeeDetails(teamId),
    listPayouts(teamId, { offset: 0, limit: 1 }),
  ]);
  const names = new Map(partners.map(({ id, name }) => [id, name]));
  const sum = (pick: (app: AppEarnings) => bigint) =>
    microcredits(earnings.reduce((all, app) => all + pick(app), 0n));
  const payable = sum((app) => app.payable);
  const current = payouts.find(({ period }) => period === monthOf(nowDate())) ?? null;
  const outlook = {
    teamName: team.name,
    apps: earnings.map((app) => ({ ...app, app: names.get(app.partnerId) ?? app.partnerId })),
    payable,
    maturing: sum((app) => app.maturing),
    paidOut: sum((app) => app.paidOut),
    minimum: team.payoutMinimum === null ? wholeCredits(minimum * 100) : microcredits(team.payoutMinimum),
    reserve: microcredits(team.payoutReserve),
    method,
    account,
    payee,
    current,
    plannedOn: schedule === 'monthly' ? firstOfNextMonth() : null,
  };
  const held = team.payoutsHeldAt !== null ? [{ what: 'held', reason: team.payoutsHeldReason } as const] : [];
  const waits = [...held, ...findWaits(outlook)];
  return { ...outlook, waits, canRequest: canRequest(outlook, waits) };
}

type Facts = Omit<PayoutOutlook, 'waits' | 'canRequest'>;

function findWaits({ method, account, payee, payable, reserve, minimum, current }: Facts): Wait[] {
  const isDue = payable - reserve >= minimum && payable - reserve > ZERO;
  const hasEnded = current?.state === 'failed' || current?.state === 'returned';
  return [
    ...(method === 'stripe' && account?.state !== 'active'
      ? [{ what: 'account', state: account?.state ?? null, dueFields: account?.dueFields ?? [] } as const]
      : []),
    ...(method === 'manual' && !payee?.destinationEnding ? [{ what: 'destination' } as const] : []),
    ...(isDue ? [] : [{ what: 'below_minimum' } as const]),
    ...(isDue && current !== null && hasEnded ? [{ what: 'ended', payout: current } as const] : []),
  ];
}

/** On request once a month; after a payout that did not arrive, always. */
function canRequest({ plannedOn, current }: Facts, waits: Wait[]): boolean {
  if (waits.some(({ what }) => what !== 'ended')) return false;
  return waits.length > 0 || (plannedOn === null && current === null);
}

const monthOf = (at: Date): string => at.toISOString().slice(0, 7);

function firstOfNextMonth(): Date {
  const at = nowDate();
  return new Date(Date.UTC(at.getUTCFullYear(), at.getUTCMonth() + 1, 1));
}
