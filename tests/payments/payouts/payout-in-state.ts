import { prisma } from '@/server/base/db';
import { newId } from '@/server/base/ids';
import type { PayoutState } from '@/server/ledger';

/** Payouts in any state, without the earnings behind them. */

export const STATES: PayoutState[] = [
  'planned',
  'sending',
  'waiting_for_balance',
  'sent',
  'returned',
  'failed',
];

export async function newTeam(name: string): Promise<string> {
  const { id } = await prisma().team.create({ data: { id: newId('tm'), name } });
  return id;
}

type NewPayout = {
  state: PayoutState;
  method: 'manual' | 'stripe';
  isApproved?: boolean;
  teamId?: string;
  teamName?: string;
  /** Of this year; later months are planned later. */
  month?: number;
};

/** Worth 125 USD. */
export async function newPayout({ state, method, isApproved = true, month = 11, ...given }: NewPayout) {
  const teamId = given.teamId ?? (await newTeam(given.teamName ?? 'Lighthouse'));
  const id = newId('po');
  const amount = 12_500_000_000n;
  const isSent = state === 'sent' || state === 'returned';
  await prisma().payout.create({
    data: {
      id,
      teamId,
      amount,
      method,
      state,
      postedUntil: new Date(),
      approvedBy: isApproved ? 'service' : null,
      period: new Date(Date.UTC(2026, month - 1, 1)),
      createdAt: new Date(Date.UTC(2026, month - 1, 2)),
      ...(isSent && { sentAt: new Date(Date.UTC(2026, month - 1, 3)) }),
      ...(isSent && method === 'stripe' && { processorTransferId: `tr_${id}` }),
      ...((state === 'failed' || state === 'returned') && { failure: 'The account is closed' }),
    },
  });
  const move = Number(amount);
  const posted = { payoutId: id, kind: 'payout', id: newId('txn') };
  const postings = [
    { account: 'partner_earnings', partner_id: 'prt_none', amount: -move },
    { account: 'partner_paid_out', partner_id: 'prt_none', amount: move },
  ];
  await prisma().payoutTransaction.create({ data: { ...posted, postings } });
  return { id, teamId };
}

export const countDecisions = (subject: string): Promise<number> =>
  prisma().auditEntry.count({ where: { teamId: null, subject } });
