import { creditsToJson } from '../base/credits';
import { log } from '../base/log';
import { logPause } from './losses';
import { noteSettled } from './settled-users';
import type { Settlement, SettlementRow } from './settlement';

/** What was committed is logged and announced. */
export function noteBooked(settlement: Settlement, row: SettlementRow): void {
  noteSettled(settlement.userId);
  logOverrun(settlement, row);
}

/** What the provider bills beyond the hold is our loss. A difference of one microcredit is rounding. */
function logOverrun({ requestId, charge, receipt }: Settlement, { amount, pauses }: SettlementRow): void {
  if (charge === undefined || charge.providerCost <= amount + 1n) return;
  log().warn(
    {
      request_id: requestId,
      model: receipt?.model,
      provider: receipt?.provider,
      held_credits: creditsToJson(amount),
      cost_credits: creditsToJson(charge.providerCost),
      overrun_credits: creditsToJson(charge.providerCost - amount),
    },
    'a request cost more than its hold',
  );
  logPause(requestId, pauses);
}
