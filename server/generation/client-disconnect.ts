import { now } from '../clock';
import { capture, release } from '../ledger';
import { startBackgroundRead } from './background-reads';
import { type Interrupted, UNINTERRUPTED } from './likely-usage';
import { chargeMetered, meter, writeReceipt } from './meter';
import { chargeRefusal } from './refusal-fee';
import { noteDisconnect } from './repeated-disconnects';
import type { Run, Working } from './run';

/**
 * Decides, when the client disconnects, whether the provider is cancelled or read to the usage that it reports.
 * It is cancelled if that ends its bill and what it has billed can be counted from what was seen. Otherwise a
 * disconnect would make hidden output free.
 */
export function handleDisconnect(run: Run, { inputReported = false } = {}): void {
  if (run.disconnectedAtMs !== null) return;
  run.disconnectedAtMs = now();
  const { working } = run;
  if (working === null || !mustRead(run, working, inputReported) || !startBackgroundRead(run, working)) {
    run.abort.abort();
  }
}

function mustRead(run: Run, working: Working, inputReported: boolean): boolean {
  const isHidden = hidesOutput(run, working);
  if (isHidden) noteDisconnect(run.hold.userId);
  return isHidden || !working.served.profile.cancelEndsBill || (run.hasMedia && !inputReported);
}

const hidesOutput = ({ wantsStream }: Run, { exchange }: Working): boolean =>
  !wantsStream || exchange.mayHideOutput();

/** For an estimate: what a provider may have produced for a client that is gone. */
export function interruptedOutput(run: Run, outputDeltas = 0): Interrupted {
  const { working, disconnectedAtMs } = run;
  if (disconnectedAtMs === null || working === null) return UNINTERRUPTED;
  const unseenMs = hidesOutput(run, working) ? Math.max(0, now() - working.sinceMs) : 0;
  return { unseenMs, outputDeltas };
}

/**
 * Settles a request that has no response: nothing is charged. But if the client disconnected while a provider
 * was working, the user pays for the prompt, which the provider has read, and for the time it worked unseen.
 * If a provider bills for refusing the content, the user pays that.
 */
export async function settleWithoutResponse(run: Run): Promise<void> {
  const { disconnectedAtMs, working, refusedBy, hold } = run;
  if (refusedBy !== null) {
    await chargeRefusal(run, refusedBy);
  } else if (disconnectedAtMs !== null && working !== null) {
    const { model } = working.served;
    const nothingSeen = { usage: null, providerCost: null, outputBytes: 0 };
    const metered = meter(nothingSeen, run.estimate(working.served), interruptedOutput(run));
    const receipt = writeReceipt(metered, { requested: run.model, served: model, outcome: 'aborted' });
    await capture(hold, chargeMetered(metered, model, hold), receipt);
  } else {
    await release(hold);
  }
  run.endLease();
}
