import { SECOND_MS } from '../clock';
import { capture, release } from '../ledger';
import { chargeMetered, meter, writeReceipt } from './meter';
import type { Run } from './run';
import { profileFor } from './upstream';

/** How long a provider that bills on anyway is listened to after the client left. */
export const DRAIN_MS = 60 * SECOND_MS;

/** The client left before its answer began: the provider stops, unless it would bill on. */
export function leaveUnanswered({ abort, working }: Run): void {
  if (working === null || !profileFor(working.provider).billsAfterCancel) abort.abort();
  else setTimeout(() => abort.abort(), DRAIN_MS).unref();
}

/**
 * Nothing is owed for an answer that did not come. But who leaves while a provider works pays for
 * the prompt: it was read, and is on our bill.
 */
export async function settleUnanswered(run: Run): Promise<void> {
  const { abort, working, hold } = run;
  if (abort.aborted && working !== null) {
    const metered = meter({ usage: null, providerCost: null, outputBytes: 0 }, run.estimate(working));
    const receipt = writeReceipt(metered, { asked: run.model, served: working, outcome: 'aborted' });
    await capture(hold, chargeMetered(metered, working, hold), receipt);
  } else {
    await release(hold);
  }
  run.endLease();
}
