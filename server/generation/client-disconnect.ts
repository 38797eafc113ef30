import { keepUnanswered } from '../activity/unanswered-requests';
import { now } from '../clock';
import { capture, release } from '../ledger';
import { generations } from '../measures';
import type { StreamFacts } from '../providers/stream-relay';
import { startBackgroundRead } from './background-reads';
import { type Interrupted, UNINTERRUPTED } from './likely-usage';
import { chargeMetered, meter, writeAttempts, writeReceipt } from './meter';
import { chargeRefusal } from './refusal-fee';
import { noteDisconnect, noteUnreportedInput } from './repeated-disconnects';
import type { ReadGoal, Run, Working } from './run';

type Seen = Pick<StreamFacts, 'usage' | 'started'>;
const NOTHING_SEEN: Seen = { usage: null, started: false };

/**
 * Decides, when the client disconnects, whether the provider is cancelled or read on. It is cancelled if that
 * ends its bill and what it has billed can be counted from what was seen. Otherwise a disconnect would make
 * hidden output free, or hide a hold that was too low.
 */
export function handleDisconnect(run: Run, seen: Seen = NOTHING_SEEN): void {
  if (run.disconnectedAtMs !== null) return;
  run.disconnectedAtMs = now();
  const { working } = run;
  run.readGoal = working === null ? null : findReadGoal(run, working, seen);
  if (working === null || run.readGoal === null) return run.abort.abort();
  if (startBackgroundRead(run, working)) return;
  if (run.readGoal !== 'usage') noteDisconnect(run.hold.userId);
  run.abort.abort();
}

function findReadGoal(run: Run, working: Working, { usage, started }: Seen): ReadGoal | null {
  const { profile } = working.served;
  // A search is billed before its results are seen.
  if (hidesOutput(run, working) || run.searches > 0) {
    noteDisconnect(run.hold.userId);
    return 'usage';
  }
  if (!profile.cancelEndsBill) return 'usage';
  // The client may come back for the rest.
  if (run.claim?.isRecording) {
    noteDisconnect(run.hold.userId);
    return 'usage';
  }
  if (usage !== null) return null;
  if (profile.format === 'anthropic') return 'input';
  if (run.hasMedia) return 'usage';
  if (noteUnreportedInput(run.hold.userId, estimateInputCharge(run, working))) {
    noteDisconnect(run.hold.userId);
    return 'usage';
  }
  return profile.refusalFee > 0n && !started ? 'start' : null;
}

function estimateInputCharge(run: Run, { served }: Working): bigint {
  const nothingSeen = { usage: null, providerCost: null, outputBytes: 0 };
  return chargeMetered(meter(nothingSeen, run.estimate(served)), served.model, run.hold).charge;
}

/** Whether a stream that is read after a client disconnect has shown what it was read for. */
export function hasReachedGoal({ readGoal }: Run, { usage, started }: Seen): boolean {
  return (readGoal === 'input' && usage !== null) || (readGoal === 'start' && started);
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

/** For an estimate: how long the model may have reasoned before a complete response. The same for each caller. */
export function hiddenOutput({ working }: Run): Interrupted {
  if (working === null || !working.exchange.mayHideOutput()) return UNINTERRUPTED;
  working.endedAtMs ??= now();
  return { unseenMs: Math.max(0, working.endedAtMs - working.sinceMs), outputDeltas: 0, isWhole: true };
}

/**
 * Settles a request that has no response: nothing is charged. But if the client disconnected while a provider
 * was working, the user pays for the prompt, which the provider has read, and for the time it worked unseen.
 * If a provider bills for refusing the content, the user pays that.
 */
export async function settleWithoutResponse(run: Run): Promise<void> {
  const { disconnectedAtMs, working, refusedBy, hold, attempts } = run;
  if (refusedBy !== null) {
    await chargeRefusal(run, refusedBy);
  } else if (disconnectedAtMs !== null && working !== null) {
    const { model } = working.served;
    const nothingSeen = { usage: null, providerCost: null, outputBytes: 0 };
    const metered = meter(nothingSeen, run.estimate(working.served), interruptedOutput(run));
    const receipt = writeReceipt(metered, {
      requested: run.model,
      served: model,
      attempts,
      outcome: 'aborted',
    });
    await capture(hold, chargeMetered(metered, model, hold), receipt);
  } else {
    await release(hold);
    noteUnanswered(run);
  }
  generations.add(outcomeWithoutResponse(run));
  run.endLease();
}

/** It has no receipt, but providers may have read it. */
function noteUnanswered({ requestId, hold, model, attempts }: Run): void {
  const [first] = attempts;
  if (first === undefined) return;
  const { userId, partnerId } = hold;
  const at = new Date(first.atMs);
  keepUnanswered({ userId, requestId, partnerId, model: model.id, attempts: writeAttempts(attempts), at });
}

function outcomeWithoutResponse({ refusedBy, disconnectedAtMs }: Run): 'refused' | 'failed' | 'aborted' {
  if (refusedBy !== null) return 'refused';
  return disconnectedAtMs === null ? 'failed' : 'aborted';
}
