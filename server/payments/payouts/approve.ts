import type { Payout } from '../../../prisma/client/client';
import { nowDate } from '../../base/clock';
import type { Microcredits } from '../../base/credits';
import type { Tx } from '../../base/db';
import { ApiError } from '../../base/errors';
import type { PayoutState } from '../../ledger';

/**
 * What an operator decides about payouts and about the payouts of a team. Each decision is one conditional
 * update: of two operators, one succeeds and the other receives the reason.
 */

/** Payouts that are not on their way yet. */
export const UNSENT: PayoutState[] = ['planned', 'waiting_for_balance'];

/** `payeeSavedAt`: the version of the payee details that the operator saw; undefined for any. */
type Approval = { approvedBy: string; payeeSavedAt: string | null | undefined };

/** The first payout to a destination waits for this. */
export async function approvePayout(
  tx: Tx,
  payoutId: string,
  { approvedBy, payeeSavedAt: seen }: Approval,
): Promise<void> {
  const approved = await tx.$executeRaw`
    UPDATE payout SET approved_by = ${approvedBy}
    WHERE id = ${payoutId} AND state = 'planned' AND approved_by IS NULL
      AND (${seen === undefined} OR payee ->> 'savedAt' IS NOT DISTINCT FROM ${seen ?? null}::text)`;
  if (approved === 1) return;
  const payout = await requirePayout(tx, payoutId);
  requireState(payout, ['planned'], 'approved');
  throw refusal(
    payout.approvedBy === null
      ? 'The payee details of this payout have changed: reload the page, and check them again'
      : 'This payout is already approved',
  );
}

/** A paused payout is not sent. */
export async function holdPayout(tx: Tx, payoutId: string, heldReason: string): Promise<void> {
  const { count } = await tx.payout.updateMany({
    where: { id: payoutId, state: { in: UNSENT }, heldAt: null },
    data: { heldAt: nowDate(), heldReason },
  });
  if (count === 1) return;
  const payout = await requirePayout(tx, payoutId);
  requireState(payout, UNSENT, 'paused');
  throw refusal('This payout is already paused');
}

export async function releasePayout(tx: Tx, payoutId: string): Promise<void> {
  const { count } = await tx.payout.updateMany({
    where: { id: payoutId, heldAt: { not: null } },
    data: { heldAt: null, heldReason: null },
  });
  if (count === 1) return;
  await requirePayout(tx, payoutId);
  throw refusal('This payout is not paused');
}

/** Sends a payout that waits for balance as soon as possible, instead of the next day. */
export async function sendNow(tx: Tx, payoutId: string): Promise<void> {
  const { count } = await tx.payout.updateMany({
    where: { id: payoutId, state: 'waiting_for_balance' },
    data: { nextLookAt: nowDate() },
  });
  if (count === 1) return;
  requireState(await requirePayout(tx, payoutId), ['waiting_for_balance'], 'sent now');
}

/** While the payouts of a team are paused, none is planned or sent. */
export async function holdTeam(tx: Tx, teamId: string, payoutsHeldReason: string): Promise<void> {
  const { count } = await tx.team.updateMany({
    where: { id: teamId, payoutsHeldAt: null },
    data: { payoutsHeldAt: nowDate(), payoutsHeldReason },
  });
  if (count === 0) throw refusal('The payouts of this team are already paused');
}

export async function releaseTeam(tx: Tx, teamId: string): Promise<void> {
  const { count } = await tx.team.updateMany({
    where: { id: teamId, payoutsHeldAt: { not: null } },
    data: { payoutsHeldAt: null, payoutsHeldReason: null },
  });
  if (count === 0) throw refusal('The payouts of this team are not paused');
}

/** `minimum`: null for the default. Both apply from the next payout. */
export type PayoutTerms = { minimum: Microcredits | null; reserve: Microcredits };

export async function setPayoutTerms(
  tx: Tx,
  teamId: string,
  { minimum, reserve }: PayoutTerms,
): Promise<void> {
  await tx.team.update({ where: { id: teamId }, data: { payoutMinimum: minimum, payoutReserve: reserve } });
}

export async function requirePayout(tx: Tx, payoutId: string): Promise<Payout> {
  const payout = await tx.payout.findUnique({ where: { id: payoutId } });
  if (payout === null) throw new ApiError('not_found', 'There is no such payout');
  return payout;
}

/** `done`: what only payouts in these states can be. */
export function requireState({ state }: Payout, states: readonly PayoutState[], done: string): void {
  if (states.some((expected) => expected === state)) return;
  const expected = states.map(inWords).join(' or ');
  throw refusal(`This payout is ${inWords(state)}: only one that is ${expected} can be ${done}`);
}

const inWords = (state: string): string => state.replaceAll('_', ' ');

export const refusal = (message: string, param?: string): ApiError =>
  new ApiError('invalid_request', message, param === undefined ? {} : { param });
