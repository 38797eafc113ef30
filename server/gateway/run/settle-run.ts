import { now } from '../../base/clock';
import { type Microcredits, ZERO } from '../../base/credits';
import { generations } from '../../base/measures';
import { capture, type LossReason, type Receipt, recordLoss, release, untilCommitted } from '../../ledger';
import { keepUnanswered } from '../counts/unanswered-requests';
import { NO_TOKENS } from '../protocols/neutral';
import type { Candidate } from './candidates';
import { noteCounted } from './counted-prompts';
import { UNINTERRUPTED } from './likely-usage';
import { chargeMetered, type Metered, meter, writeAttempts, writeReceipt } from './meter';
import { isRunning, type Run, unseenOutput, type Working } from './run';

/** The end of a run: every call that reached a provider is charged, or its loss is recorded. */

type Outcome = Receipt['outcome'];

/** Charges what was metered of the response of `served`. Returns what the user paid. */
export async function chargeRun(
  run: Run,
  served: Candidate,
  metered: Metered,
  outcome: Outcome,
): Promise<Microcredits> {
  const { hold, model: requested, attempts } = run;
  const charge = chargeMetered(metered, served.model, hold);
  noteUsage(run, metered, charge.charge);
  const receipt = writeReceipt(metered, {
    requested,
    served: served.model,
    attempts,
    outcome,
    dataRules: hold.dataRules,
  });
  // With an Idempotency-Key, another request may have taken the place of one whose hold is gone.
  const settled = await capture(hold, charge, receipt, {
    mayRemakeHold: run.claim === null,
  });
  await endRun(run, outcome);
  return settled?.captured ?? ZERO;
}

/** For the holds of requests that continue this one. */
function noteUsage(
  { prompt, working, model }: Run,
  { usage, estimated }: Metered,
  charge: Microcredits,
): void {
  if (prompt === null || working === null || working.exchange.isShortened || estimated) return;
  noteCounted(prompt, model.id, { usage, charge, readAtMs: working.sinceMs });
}

/** Settles a request that has no response, unless it is settled. */
export async function settleWithoutResponse(run: Run, reason: LossReason = 'connection_lost'): Promise<void> {
  if (!isRunning(run)) return;
  const { refusedBy, working } = run;
  if (refusedBy !== null) return chargeRefusal(run, refusedBy);
  if (working !== null && isChargedUnseen(run)) return chargeUnseen(run, working);
  if (working !== null) noteLoss(run, working, reason);
  await release(run.hold);
  noteUnanswered(run);
  await endRun(run, 'failed');
}

/** The client or the user ended it, or it took too long: as if the client had disconnected. */
const isChargedUnseen = ({ disconnectedAtMs }: Run): boolean => disconnectedAtMs !== null;

/** The user pays for the prompt, which the provider has read, and for the time that it worked unseen. */
async function chargeUnseen(run: Run, working: Working): Promise<void> {
  await chargeRun(run, working.served, meterFailed(run, working), 'aborted');
}

/** Charges what a provider bills for a request whose content it refused. No tokens are on the receipt. */
async function chargeRefusal(run: Run, served: Candidate): Promise<void> {
  const providerCost = served.profile.refusalFee;
  const metered = { usage: NO_TOKENS, providerCost, estimated: false, endedAtMs: now() };
  await chargeRun(run, served, metered, 'refused');
}

/** It has no receipt, but providers may have read it. */
function noteUnanswered({ requestId, hold, model, attempts }: Run): void {
  const [first] = attempts;
  if (first === undefined) return;
  const { userId, partnerId } = hold;
  const at = new Date(first.atMs);
  keepUnanswered({ userId, requestId, partnerId, model: model.id, attempts: writeAttempts(attempts), at });
}

async function endRun(run: Run, outcome: Outcome | 'failed'): Promise<void> {
  const { hold, losses, requestId } = run;
  for (const loss of losses)
    await untilCommitted(requestId, 'recording a loss', () => recordLoss(hold, loss));
  generations.add(outcome);
  run.endLease();
}

/** Of a call without a response: what the provider reported all the same, or the most that it may bill. */
function meterFailed(run: Run, working: Working): Metered {
  const { served, produced = null } = working;
  const report = produced ?? { usage: null, providerCost: null, outputBytes: 0 };
  return meter(
    report,
    run.estimate(served),
    report.usage === null ? unseenOutput(run, working) : UNINTERRUPTED,
  );
}

/** Records a call that nobody is charged for. */
export function noteLoss(run: Run, working: Working, reason: LossReason): void {
  addLoss(run, working.served, meterFailed(run, working), reason);
}

/** What exceeds the part that the user is charged for. */
export function addLoss(
  run: Run,
  { model }: Candidate,
  billed: Metered,
  reason: LossReason,
  charged?: Metered,
): void {
  const costOf = (metered: Metered) => chargeMetered(metered, model, run.hold).providerCost;
  const cost = (costOf(billed) - (charged === undefined ? 0n : costOf(charged))) as Microcredits;
  if (cost <= 0n) return;
  const { id, provider } = model;
  const call = run.attempts.length;
  run.losses.push({ call, model: id, provider, reason, cost, isEstimated: billed.estimated });
}
