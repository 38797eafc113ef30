import { creditsToJson, dollarsToJson, ZERO } from '../credits';
import type { Reply } from '../http/reply';
import { capture } from '../ledger';
import { generations } from '../measures';
import { CLIENT_PROTOCOLS } from '../protocols/client-protocols';
import type { ProviderWhole } from './attempt';
import { hiddenOutput } from './client-disconnect';
import { chargeMetered, meter, writeReceipt } from './meter';
import type { Run } from './run';

/** Settles a complete response, then sends it. */
export async function sendResponse(run: Run, { served, whole }: ProviderWhole): Promise<Reply> {
  const metered = meter(whole, run.estimate(served), hiddenOutput(run));
  const outcome = run.disconnectedAtMs === null ? 'completed' : 'aborted';
  const settled = await capture(
    run.hold,
    chargeMetered(metered, served.model, run.hold),
    writeReceipt(metered, { requested: run.model, served: served.model, attempts: run.attempts, outcome }),
  );
  generations.add(outcome);
  run.endLease();
  if (run.keeper !== null) await run.keeper.keep();
  const charged = settled?.captured ?? ZERO;
  const reply = {
    body: CLIENT_PROTOCOLS[run.client.format].addCost(run.client, whole.body, dollarsToJson(charged)),
    headers: {
      'content-type': 'application/json',
      'cache-control': 'no-store',
      'x-svc-credits-charged': String(creditsToJson(charged)),
      ...run.headers,
    },
  };
  if (run.claim !== null) await run.claim.keep(reply);
  return reply;
}
