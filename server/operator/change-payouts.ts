import { inTransaction, prisma, type Tx } from '../base/db';
import { ApiError, assertNever } from '../base/errors';
import { recordTeamAction } from '../partners/audit-log';
import {
  approvePayout,
  holdPayout,
  holdTeam,
  type PayoutTerms,
  refusal,
  releasePayout,
  releaseTeam,
  requirePayout,
  requireState,
  sendNow,
  setPayoutTerms,
} from '../payments/payouts/approve';
import { revealDestination } from '../payments/payouts/payee-details';
import { requestPayout } from '../payments/payouts/plan';
import {
  type ManualPayment,
  recordFailed,
  recordReturned,
  recordSent,
} from '../payments/payouts/record-manual';
import { bookReversal, requireReversible, reverseTransfer } from '../payments/payouts/reverse';
import { type ActionName, type Operator, recordAction, requireReason } from './record';

/** Partners see the reason for a pause, a failure and a return. */
export type PayoutChange =
  | { do: 'approve'; payeeSavedAt?: string | null | undefined }
  | { do: 'hold' | 'release' | 'send_now' | 'returned' | 'failed' }
  | { do: 'sent'; payment: ManualPayment };

type DecisionInput = { operator: Operator; payoutId: string; reason: string };

/** Applies an operator's decision about a payout and records it, both in one transaction. */
export async function changePayout({
  change,
  ...asked
}: DecisionInput & { change: PayoutChange }): Promise<void> {
  requireReason(asked.reason);
  await inTransaction((tx) => recordChange(tx, `payout.${change.do}`, asked, () => apply(tx, asked, change)));
}

function apply(tx: Tx, { operator, payoutId, reason }: DecisionInput, change: PayoutChange): Promise<void> {
  switch (change.do) {
    case 'approve':
      return approvePayout(tx, payoutId, { approvedBy: operator, payeeSavedAt: change.payeeSavedAt });
    case 'hold':
      return holdPayout(tx, payoutId, reason.trim());
    case 'release':
      return releasePayout(tx, payoutId);
    case 'send_now':
      return sendNow(tx, payoutId);
    case 'sent':
      return recordSent(tx, payoutId, change.payment);
    case 'returned':
      return recordReturned(tx, payoutId, reason.trim());
    case 'failed':
      return recordFailed(tx, payoutId, reason.trim());
    default:
      return assertNever(change);
  }
}

/**
 * The processor is called outside any transaction, so the audit log gets two entries: the request, before any
 * money moves, and the outcome.
 */
export async function reversePayout(asked: DecisionInput): Promise<void> {
  const { operator, payoutId: subject, reason } = asked;
  requireReason(reason);
  await inTransaction(async (tx) => {
    await requireReversible(tx, subject);
    await recordAction(tx, { operator, what: 'payout.reverse_asked', subject, reason });
  });
  await reverseTransfer(subject);
  await inTransaction(async (tx) => {
    const before = await readFacts(tx, subject);
    const entry = { operator, what: 'payout.reversed', subject } as const;
    if (await bookReversal(tx, subject, reason.trim()))
      return record(tx, { ...asked, what: entry.what, before });
    // Another operator was faster, or Stripe's event, which knows no operator.
    if ((await tx.auditEntry.count({ where: { teamId: null, subject, what: entry.what } })) === 0)
      await recordAction(tx, {
        ...entry,
        reason,
        before: { ...before, state: 'sent' },
        after: await readFacts(tx, subject),
      });
  });
}

/**
 * Plans another payout for a team whose last one did not arrive. It is recorded first, because planning is a
 * transaction of the ledger.
 */
export async function planAgain({ operator, teamId, reason }: AskedOfTeam): Promise<void> {
  requireReason(reason);
  await inTransaction(async (tx) => {
    await readTeamFacts(tx, teamId);
    await recordAction(tx, { operator, what: 'payout.again', subject: teamId, reason });
    await recordTeamAction(tx, { teamId, actor: 'operator', what: 'payout.again' });
  });
  const planned = await requestPayout(teamId);
  if (planned.outcome !== 'created') throw refusal(describeRefusal(planned));
}

type Planned = Awaited<ReturnType<typeof requestPayout>>;

function describeRefusal(planned: Exclude<Planned, { outcome: 'created' }>): string {
  switch (planned.outcome) {
    case 'exists':
      return 'The team already has a payout in this month';
    case 'below_minimum':
      return `The team’s payable earnings are below its minimum: $${inDollars(planned.payable).toFixed(2)}`;
    case 'held':
      return 'The payouts of this team are paused';
    case 'not_ready':
      return planned.what === 'account'
        ? 'The team’s account at Stripe is not active'
        : 'The team has not entered its payee details';
    case 'not_allowed':
      return 'This team has no payout to repeat in this month';
    default:
      return assertNever(planned);
  }
}

/** The whole destination of a payout that is to be made by hand. */
export async function viewDestination(operator: Operator, payoutId: string): Promise<string> {
  const payout = await requirePayout(prisma(), payoutId);
  if (payout.method !== 'manual') throw refusal('Stripe knows the destination of this payout');
  requireState(payout, ['planned'], 'paid by hand');
  const destination = await revealDestination(payout.teamId);
  if (destination === null) throw refusal('The team has not entered a bank account');
  const entry = { operator, what: 'payout.destination', subject: payoutId, reason: 'to pay it' } as const;
  await inTransaction((tx) => recordAction(tx, entry));
  return destination;
}

async function recordChange(
  tx: Tx,
  what: ActionName,
  asked: DecisionInput,
  work: () => Promise<void>,
): Promise<void> {
  const before = await readFacts(tx, asked.payoutId);
  await work();
  await record(tx, { what, ...asked, before });
}

type Facts = Awaited<ReturnType<typeof readFacts>>;

async function record(
  tx: Tx,
  { what, operator, payoutId, reason, before }: DecisionInput & { what: ActionName; before: Facts },
): Promise<void> {
  const after = await readFacts(tx, payoutId);
  await recordAction(tx, { operator, what, subject: payoutId, reason, before, after });
  const { teamId } = await requirePayout(tx, payoutId);
  await recordTeamAction(tx, { teamId, actor: 'operator', what, subject: payoutId, before, after });
}

/** What the audit log compares. */
async function readFacts(tx: Tx, payoutId: string) {
  const payout = await requirePayout(tx, payoutId);
  return {
    state: payout.state,
    approved: payout.approvedBy !== null,
    held: payout.heldAt !== null,
    reference: payout.reference,
    currency: payout.paidCurrency,
    paid_minor: payout.paidMinor === null ? null : Number(payout.paidMinor),
    rate: payout.rate === null ? null : payout.rate.toString(),
  };
}

export type TeamChange = { do: 'hold' | 'release' } | { do: 'terms'; terms: PayoutTerms };

type AskedOfTeam = { operator: Operator; teamId: string; reason: string };

/** Applies an operator's decision about all payouts of a team and records it, both in one transaction. */
export async function changeTeamPayouts({
  operator,
  teamId,
  reason,
  change,
}: AskedOfTeam & { change: TeamChange }): Promise<void> {
  requireReason(reason);
  await inTransaction(async (tx) => {
    const before = await readTeamFacts(tx, teamId);
    await applyToTeam(tx, teamId, reason.trim(), change);
    const after = await readTeamFacts(tx, teamId);
    const what = `team.${change.do}` as const;
    await recordAction(tx, { operator, what, subject: teamId, reason, before, after });
    await recordTeamAction(tx, { teamId, actor: 'operator', what, before, after });
  });
}

function applyToTeam(tx: Tx, teamId: string, reason: string, change: TeamChange): Promise<void> {
  switch (change.do) {
    case 'hold':
      return holdTeam(tx, teamId, reason);
    case 'release':
      return releaseTeam(tx, teamId);
    case 'terms':
      return setPayoutTerms(tx, teamId, change.terms);
    default:
      return assertNever(change);
  }
}

async function readTeamFacts(tx: Tx, teamId: string) {
  const team = await tx.team.findUnique({ where: { id: teamId } });
  if (team === null) throw new ApiError('not_found', 'There is no such team');
  const { payoutMinimum: minimum, payoutReserve: reserve } = team;
  return {
    held: team.payoutsHeldAt !== null,
    minimum: minimum === null ? null : inDollars(minimum),
    reserve: inDollars(reserve),
  };
}

const inDollars = (amount: bigint): number => Number(amount) / 100_000_000;
