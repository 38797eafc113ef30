import { type Charge, creditsToJson, type Microcredits } from '../credits';
import { describeError, log } from '../log';
import { type Span, traceOf } from '../tracing';
import { submitSettlement } from './batch';
import { forgetHold, giveBack, isUsing, returnIdleHolds } from './kept-holds';
import { noteSettled } from './settled-users';
import type { HoldRef, Metered, Receipt, Settlement, SettlementRow } from './settlement';

export type Settled = {
  /** The amount the user paid: the charge, at most the hold. */
  captured: Microcredits;
  /** The partner's balance after the settlement. */
  balance: Microcredits;
};

const FIRST_RETRY_MS = 50;
const MAX_RETRY_MS = 5_000;

/**
 * Books the charge, at most the hold, and releases the remainder. Unlike an admission, a settlement must not
 * fail: it is retried until it is committed, and a repetition returns the first capture. Null if the hold was
 * already released.
 */
export async function capture(hold: HoldRef, charge: Charge, receipt: Receipt): Promise<Settled | null> {
  const settling = settleUntilDone({ charge, receipt, ...refTo(hold) });
  if (hold.kept && isUsing(hold)) hold.kept.isSettling = true;
  const row = await settling;
  endUse(hold, row?.kept === true);
  return row && { captured: row.amount as Microcredits, balance: row.balance as Microcredits };
}

/** Releases the whole hold without a charge, because nothing was produced. A kept hold changes nothing in the database. */
export async function release(hold: HoldRef): Promise<void> {
  const isKept = isUsing(hold) && !hold.kept?.isMetered && !hold.kept?.isSettling;
  if (!isKept) await settleUntilDone(refTo(hold));
  endUse(hold, isKept);
}

/**
 * Settles an abandoned hold with the last usage that its instance metered, unless the request was settled before: then
 * the hold was kept, and only that is released. Returns whether there was a hold.
 */
export async function settleAbandoned(hold: AbandonedHold, metered: Metered): Promise<boolean> {
  const { userId, holdId, requestId, held } = hold;
  const released = { userId, requestId: '', holdId };
  await freePocket(userId);
  if (requestId === null || metered.charge.charge === 0n) return (await settleOnce(released)) !== null;
  const row = await settleOnce({ userId, holdId, requestId, ...(held !== null && { held }), ...metered });
  if (row?.kept) await settleOnce(released);
  return row !== null;
}

/** Credits that an idle kept hold reserves would not pay, and an allowance would pay in their place. */
const freePocket = async (userId: string): Promise<void> => void (await returnIdleHolds(userId));

export type AbandonedHold = {
  userId: string;
  holdId: string;
  /** The request that was metered; null if none was. */
  requestId: string | null;
  held: Microcredits | null;
};

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

async function retrySettlement(settlement: Settlement): Promise<SettlementRow | null> {
  for (let waitMs = FIRST_RETRY_MS; ; waitMs = Math.min(waitMs * 2, MAX_RETRY_MS)) {
    try {
      if (settlement.charge && settlement.holdId === undefined) await freePocket(settlement.userId);
      return await settleOnce(settlement);
    } catch (error) {
      log().error(
        { request_id: settlement.requestId, error: describeError(error) },
        'settlement failed, retrying',
      );
      await new Promise((resolve) => setTimeout(resolve, waitMs));
    }
  }
}

async function settleOnce(settlement: Settlement): Promise<SettlementRow | null> {
  const row = await submitSettlement(settlement);
  if (row === null) return null;
  noteSettled(settlement.userId);
  logOverrun(settlement, row);
  return row;
}

/** What the provider bills beyond the hold is our loss. A difference of one microcredit is rounding. */
function logOverrun({ requestId, charge, receipt }: Settlement, { amount, pauses }: SettlementRow): void {
  if (charge === undefined || charge.providerCost <= amount + 1n) return;
  log().warn(
    {
      ...{ request_id: requestId, model: receipt?.model, provider: receipt?.provider },
      held_credits: creditsToJson(amount),
      cost_credits: creditsToJson(charge.providerCost),
      overrun_credits: creditsToJson(charge.providerCost - amount),
    },
    'a request cost more than its hold',
  );
  if (pauses !== null)
    log().error(
      { request_id: requestId, paused: pauses },
      'paused for review, because overruns passed their limit',
    );
}
