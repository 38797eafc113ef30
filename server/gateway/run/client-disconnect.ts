import { now } from '../../base/clock';
import type { StreamFacts } from '../providers/stream-relay';
import { startBackgroundRead } from './background-reads';
import { chargeMetered, meter } from './meter';
import { leavesTooMuchUnreported, noteDisconnect, noteUnreportedInput } from './repeated-disconnects';
import { hidesOutput, type ReadGoal, type Run, type Working } from './run';

type ResponseProgress = Pick<StreamFacts, 'usage' | 'started'>;
const NOTHING_SEEN: ResponseProgress = { usage: null, started: false };

/**
 * Called when the client disconnects or its response is cut off: cancels the provider, or reads it on in the
 * background.
 */
export function handleDisconnect(run: Run, seen: ResponseProgress = NOTHING_SEEN): void {
  if (run.disconnectedAtMs !== null) return;
  run.disconnectedAtMs = now();
  const { working } = run;
  if (working === null) return run.abort.abort();
  const { goal, isCounted, unreportedInput } = findReadGoal(run, working, seen);
  run.readGoal = goal;
  if (unreportedInput !== null) noteUnreportedInput(run.hold.userId, unreportedInput);
  if (isCounted) countDisconnect(run);
  if (goal === null) return run.abort.abort();
  if (startBackgroundRead(run, working)) return;
  if (goal !== 'usage') countDisconnect(run);
  run.abort.abort();
}

type Decision = {
  /** How far the provider is read on; null to cancel it. */
  goal: ReadGoal | null;
  /** Whether a user whose clients do this often may run only a few requests at a time. */
  isCounted: boolean;
  /** The charge for input that the provider may not report; null if it reports it or is read to its usage anyway. */
  unreportedInput: bigint | null;
};

const CANCEL: Decision = { goal: null, isCounted: false, unreportedInput: null };
const READ_INPUT: Decision = { ...CANCEL, goal: 'input' };
const READ_USAGE: Decision = { ...CANCEL, goal: 'usage' };
const READ_USAGE_AND_COUNT: Decision = { ...READ_USAGE, isCounted: true };

/**
 * The provider is cancelled if that ends its bill and what it has billed can be counted from what was seen.
 * Otherwise a disconnect would make hidden output free, or hide a hold that was too low.
 */
function findReadGoal(run: Run, working: Working, { usage, started }: ResponseProgress): Decision {
  const { profile } = working.served;
  // A search is billed before its results are seen.
  if (hidesOutput(run, working.exchange) || run.searches > 0) return READ_USAGE_AND_COUNT;
  if (!profile.cancelEndsBill) return READ_USAGE;
  // The client may come back for the rest.
  if (run.claim?.isRecording) return READ_USAGE_AND_COUNT;
  if (usage !== null) return CANCEL;
  if (profile.format === 'anthropic') return READ_INPUT;
  if (run.hasMedia) return READ_USAGE;
  const unreportedInput = estimateInputCharge(run, working);
  if (leavesTooMuchUnreported(run.hold.userId, unreportedInput))
    return { goal: 'usage', isCounted: true, unreportedInput };
  return { goal: profile.refusalFee > 0n && !started ? 'start' : null, isCounted: false, unreportedInput };
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
