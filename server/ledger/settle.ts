import { type Charge, creditsToJson, type Microcredits } from '../credits';
import { describeError, log } from '../log';
import { submitSettlement } from './batch';
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
export function capture(hold: HoldRef, charge: Charge, receipt: Receipt): Promise<Settled | null> {
  return settleUntilDone({ charge, receipt, ...pickRef(hold) });
}

/** Releases the whole hold without a charge, because nothing was produced. */
export async function release(hold: HoldRef): Promise<void> {
  await settleUntilDone(pickRef(hold));
}

/** Settles an abandoned hold with the last usage that its instance metered. */
export async function settleAbandoned(hold: HoldRef, metered: Metered): Promise<Settled | null> {
  return settleOnce({ ...pickRef(hold), ...(metered.charge.charge > 0n && metered) });
}

const pickRef = ({ userId, requestId }: HoldRef): HoldRef => ({ userId, requestId });

async function settleUntilDone(settlement: Settlement): Promise<Settled | null> {
  for (let waitMs = FIRST_RETRY_MS; ; waitMs = Math.min(waitMs * 2, MAX_RETRY_MS)) {
    try {
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

async function settleOnce(settlement: Settlement): Promise<Settled | null> {
  const row = await submitSettlement(settlement);
  if (row === null) return null;
  noteSettled(settlement.userId);
  logOverrun(settlement, row);
  return { captured: row.amount as Microcredits, balance: row.balance as Microcredits };
}

/** What the provider bills beyond the hold is our loss. A difference of one microcredit is rounding. */
function logOverrun({ requestId, charge, receipt }: Settlement, { amount, pauses }: SettlementRow): void {
  if (charge === undefined || charge.providerCost <= amount + 1n) return;
  const credits = {
    heldCredits: creditsToJson(amount),
    costCredits: creditsToJson(charge.providerCost),
    overrunCredits: creditsToJson(charge.providerCost - amount),
  };
  log().warn(
    { request_id: requestId, model: receipt?.model, provider: receipt?.provider, ...credits },
    'a request cost more than its hold',
  );
  if (pauses !== null)
    log().error(
      { request_id: requestId, paused: pauses },
      'paused for review, because overruns passed their limit',
    );
}
