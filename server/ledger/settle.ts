import { type Charge, type Microcredits, ZERO } from '../base/credits';
import { type Span, traceOf } from '../base/tracing';
import type { Hold } from './admission';
import { submitSettlement } from './batch';
import { forgetHold, giveBack, isUsing, returnIdleHolds } from './kept-holds';
import { untilCommitted } from './losses';
import { noteBooked } from './note-booked';
import { correctEstimate, settleLate } from './settle-late';
import type { HoldRef, Receipt, Settlement, SettlementRow } from './settlement';

export type Settled = {
  /** The amount the user paid: the charge, at most the hold. */
  captured: Microcredits;
  /** The partner's balance after the settlement. */
  balance: Microcredits;
};

/**
 * Books the charge, at most the hold, and releases the remainder. Unlike an admission, a settlement must not
 * fail: it is retried until it is committed, and a repetition returns the first capture. Null if nothing could be booked,
 * because another instance settled the hold while this one was paused: the loss is then recorded.
 */
export async function capture(
  hold: Hold,
  charge: Charge,
  receipt: Receipt,
  { mayRemakeHold = true } = {},
): Promise<Settled | null> {
  const settling = settleUntilDone({ charge, receipt, ...refTo(hold) });
  if (hold.kept && isUsing(hold)) hold.kept.isSettling = true;
  const row = await settling;
  endUse(hold, row?.kept === true);
  const due = minOf(charge.charge, hold.amount);
  const booked = row?.amount === due ? row : await settleLate(hold, { charge, receipt }, mayRemakeHold);
  if (booked === null) return null;
  if (booked.amount > due) await correctEstimate(hold, charge);
  return { captured: minOf(booked.amount, due) as Microcredits, balance: booked.balance as Microcredits };
}

const minOf = (a: bigint, b: bigint): bigint => (a < b ? a : b);

/** Releases the whole hold without a charge, because nothing was produced. A kept hold changes nothing in the database. */
export async function release(hold: HoldRef): Promise<void> {
  const isKept = isUsing(hold) && !hold.kept?.isMetered && !hold.kept?.isSettling;
  const row = isKept ? null : await settleUntilDone(refTo(hold));
  endUse(hold, isKept);
  if (row !== null && row.amount > 0n) await correctEstimate(hold, { charge: ZERO, providerCost: ZERO });
}

/** Credits that an idle kept hold reserves would not pay, and an allowance would pay in their place. */
export const freePocket = async (userId: string): Promise<void> => void (await returnIdleHolds(userId));

/** Names the hold. A request that ended in a kept hold names none: another request may use it by now. */
function refTo(hold: HoldRef): Settlement {
  const { userId, requestId, amount, kept } = hold;
  if (kept === undefined) return { userId, requestId };
  return { userId, requestId, holdId: isUsing(hold) ? kept.id : '', held: amount };
}

function endUse(hold: HoldRef, isKept: boolean): void {
  if (hold.kept === undefined || !isUsing(hold)) return;
  if (isKept) giveBack(hold.kept);
  else forgetHold(hold.kept);
}

async function settleUntilDone(settlement: Settlement): Promise<SettlementRow | null> {
  const span = traceSettlement(settlement);
  const row = await retrySettlement(settlement);
  span?.end();
  return row;
}

/** The spans of the request and of its settlement. */
function traceSettlement({ requestId, receipt }: Settlement): Span | undefined {
  const trace = traceOf(requestId);
  if (trace === undefined) return undefined;
  if (receipt !== undefined) {
    const { cacheReadTokens, cacheWriteTokens, cacheWrite1hTokens } = receipt;
    trace.set({
      'gen_ai.provider.name': receipt.provider,
      'gen_ai.usage.input_tokens':
        receipt.inputTokens + cacheReadTokens + cacheWriteTokens + cacheWrite1hTokens,
      'gen_ai.usage.output_tokens': receipt.outputTokens,
      'svc.outcome': receipt.outcome,
    });
  }
  return trace.begin('settlement', 'internal');
}

const retrySettlement = (settlement: Settlement): Promise<SettlementRow | null> =>
  untilCommitted(settlement.requestId, 'settlement', async () => {
    if (settlement.charge && settlement.holdId === undefined) await freePocket(settlement.userId);
    const row = await submitSettlement(settlement);
    if (row !== null) noteBooked(settlement, row);
    return row;
  });
