import { SECOND_MS } from '../clock';
import { capture, release } from '../ledger';
import { chargeMetered, meter, writeReceipt } from './meter';
import type { Run } from './run';

/**
 * How long to keep reading after a client disconnect, from a provider that bills the rest of the response
 * anyway.
 */
export const DRAIN_MS = 60 * SECOND_MS;

/**
 * Cancels the call if the client disconnects before the response begins, unless the provider would bill it
 * anyway.
 */
export function stopProvider({ abort, working }: Run): void {
  if (!working?.profile.billsAfterCancel) abort.abort();
  else setTimeout(() => abort.abort(), DRAIN_MS).unref();
}

/**
 * Settles a request that has no response: nothing is charged. But if the client disconnected while a provider
 * was working, the user pays for the prompt, because the provider has read it and bills us for it.
 */
export async function settleWithoutResponse(run: Run): Promise<void> {
  const { abort, working, hold } = run;
  if (abort.aborted && working !== null) {
    const metered = meter({ usage: null, providerCost: null, outputBytes: 0 }, run.estimate(working));
    const receipt = writeReceipt(metered, {
      requested: run.model,
      served: working.model,
      outcome: 'aborted',
    });
    await capture(hold, chargeMetered(metered, working.model, hold), receipt);
  } else {
    await release(hold);
  }
  run.endLease();
}
