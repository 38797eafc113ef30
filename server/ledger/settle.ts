import type { Charge, Microcredits } from '../credits';
import { describeError, log } from '../log';
import { submitSettlement } from './batch';
import type { HoldRef, Metered, Receipt, Settlement, SettlementRow } from './settlement';

export type Settled = {
  /** What the user paid: the charge, at most the hold. */
  captured: Microcredits;
  /** The partner's balance after it. */
  balance: Microcredits;
};

const RETRY_FIRST_MS = 50;
const RETRY_LONGEST_MS = 5_000;

/**
 * Books the charge, at most the hold, and releases the rest. Admission may fail, settlement may not: it
 * retries until it is committed, and a repetition returns the first capture. Null if the hold was
 * released before.
 */
export function capture(hold: HoldRef, charge: Charge, receipt: Receipt): Promise<Settled | null> {
  return settleUntilDone({ charge, receipt, ...pickRef(hold) });
}

/** Releases the whole hold: nothing was produced, so nothing is charged. */
export async function release(hold: HoldRef): Promise<void> {
  await settleUntilDone(pickRef(hold));
}

/** Settles an abandoned hold with what its instance had metered last. */
export async function settleAbandoned(hold: HoldRef, metered: Metered): Promise<Settled | null> {
  return toSettled(await submitSettlement({ ...pickRef(hold), ...(metered.charge.charge > 0n && metered) }));
}

const pickRef = ({ userId, requestId }: HoldRef): HoldRef => ({ userId, requestId });

async function settleUntilDone(settlement: Settlement): Promise<Settled | null> {
  for (let waitMs = RETRY_FIRST_MS; ; waitMs = Math.min(waitMs * 2, RETRY_LONGEST_MS)) {
    try {
      return toSettled(await submitSettlement(settlement));
    } catch (error) {
      log().error(
        { requestId: settlement.requestId, error: describeError(error) },
        'settlement failed, retrying',
      );
      await new Promise((resolve) => setTimeout(resolve, waitMs));
    }
  }
}

function toSettled(row: SettlementRow | null): Settled | null {
  return row && { captured: row.amount as Microcredits, balance: row.balance as Microcredits };
}
