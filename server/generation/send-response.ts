import { creditsToJson } from '../credits';
import type { Reply } from '../http/reply';
import { capture } from '../ledger';
import { generations } from '../measures';
import type { ProviderWhole } from './attempt';
import { interruptedOutput } from './client-disconnect';
import { UNINTERRUPTED } from './likely-usage';
import { chargeMetered, meter, writeReceipt } from './meter';
import type { Run } from './run';

/** Settles a complete response, then sends it. */
export async function sendResponse(run: Run, { served, whole }: ProviderWhole): Promise<Reply> {
  const interrupted = whole.usage === null ? interruptedOutput(run) : UNINTERRUPTED;
  const metered = meter(whole, run.estimate(served), interrupted);
  const outcome = run.disconnectedAtMs === null ? 'completed' : 'aborted';
  const settled = await capture(
    run.hold,
    chargeMetered(metered, served.model, run.hold),
    writeReceipt(metered, { requested: run.model, served: served.model, outcome }),
  );
  generations.add(outcome);
  run.endLease();
  return {
    body: whole.body,
    headers: {
      'content-type': 'application/json',
      'cache-control': 'no-store',
      'x-svc-credits-charged': String(creditsToJson(settled?.captured ?? 0n)),
      ...run.headers,
    },
  };
}
