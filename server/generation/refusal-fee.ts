import { now } from '../clock';
import { chargeFor } from '../credits';
import { capture } from '../ledger';
import { NO_TOKENS } from '../protocols/neutral';
import type { Candidate } from './candidates';
import { writeReceipt } from './meter';
import type { Run } from './run';

/** Charges what a provider bills for a request whose content it refused. No tokens are on the receipt. */
export async function chargeRefusal(
  { model, hold, attempts }: Run,
  { model: served, profile }: Candidate,
): Promise<void> {
  const metered = { usage: NO_TOKENS, providerCost: profile.refusalFee, estimated: false, endedAtMs: now() };
  const receipt = writeReceipt(metered, { requested: model, served, attempts, outcome: 'refused' });
  await capture(hold, chargeFor(profile.refusalFee, hold.rateBp), receipt);
}
