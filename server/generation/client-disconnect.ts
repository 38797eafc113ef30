import { SECOND_MS } from '../clock';
import { capture, release } from '../ledger';
import { chargeMetered, meter, writeReceipt } from './meter';
import type { Run } from './run';

/** How long to keep reading from a provider that bills on anyway after a client disconnect. */
export const DRAIN_MS = 60 * SECOND_MS;

/** For a disconnect before the response began: stops the provider, unless it would bill on. */
export function stopProvider({ abort, working }: Run): void {
  if (!working?.profile.billsAfterCancel) abort.abort();
  else setTimeout(() => abort.abort(), DRAIN_MS).unref();
}

/**
 * Without a response nothing is owed. But a client that disconnects while a provider works pays for
 * the prompt: the provider has read it and bills us for it.
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
