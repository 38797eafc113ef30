import { now } from '../../base/clock';
import type { StreamFacts } from '../providers/stream-relay';
import { startBackgroundRead } from './background-reads';
import { chargeMetered, meter } from './meter';
import { noteDisconnect, noteUnreportedInput } from './repeated-disconnects';
import { hidesOutput, type ReadGoal, type Run, type Working } from './run';

type ResponseProgress = Pick<StreamFacts, 'usage' | 'started'>;
const NOTHING_SEEN: ResponseProgress = { usage: null, started: false };

/**
 * Decides, when the client disconnects or its response is cut off, whether the provider is cancelled or read on. It is cancelled if that
 * ends its bill and what it has billed can be counted from what was seen. Otherwise a disconnect would make
 * hidden output free, or hide a hold that was too low.
 */
export function handleDisconnect(run: Run, seen: ResponseProgress = NOTHING_SEEN): void {
  if (run.disconnectedAtMs !== null) return;
  run.disconnectedAtMs = now();
  const { working } = run;
  run.readGoal = working === null ? null : findReadGoal(run, working, seen);
  if (working === null || run.readGoal === null) return run.abort.abort();
  if (startBackgroundRead(run, working)) return;
  if (run.readGoal !== 'usage') countDisconnect(run);
  run.abort.abort();
}

function findReadGoal(run: Run, working: Working, { usage, started }: ResponseProgress): ReadGoal | null {
  const { profile } = working.served;
  // A search is billed before its results are seen.
  if (hidesOutput(run, working.exchange) || run.searches > 0) {
    countDisconnect(run);
    return 'usage';
  }
  if (!profile.cancelEndsBill) return 'usage';
  // The client may come back for the rest.
  if (run.claim?.isRecording) {
    countDisconnect(run);
    return 'usage';
  }
  if (usage !== null) return null;
  if (profile.format === 'anthropic') return 'input';
  if (run.hasMedia) return 'usage';
  if (noteUnreportedInput(run.hold.userId, estimateInputCharge(run, working))) {
    countDisconnect(run);
    return 'usage';
  }
  return profile.refusalFee > 0n && !started ? 'start' : null;
}

/** A response that took too long is not the client's doing. */
function countDisconnect({ hold, cutOff }: Run): void {
  if (cutOff?.code !== 'upstream_error') noteDisconnect(hold.userId);
}

function estimateInputCharge(run: Run, { served }: Working): bigint {
  const nothingSeen = { usage: null, providerCost: null, outputBytes: 0 };
  return chargeMetered(meter(nothingSeen, run.estimate(served)), served.model, run.hold).charge;
}

/** Whether a stream that is read after a client disconnect has shown what it was read for. */
export function hasReachedGoal({ readGoal }: Run, { usage, started }: ResponseProgress): boolean {
  return (readGoal === 'input' && usage !== null) || (readGoal === 'start' && started);
}
