import { creditsToJson, dollarsToJson } from '../../base/credits';
import type { Reply } from '../../base/http/reply';
import { CLIENT_PROTOCOLS } from '../protocols/client-protocols';
import type { ProviderWhole } from './attempt';
import { meter } from './meter';
import { hiddenOutput, type Run } from './run';
import { chargeRun } from './settle-run';

/** Settles a complete response, then sends it. */
export async function sendResponse(run: Run, { served, whole }: ProviderWhole): Promise<Reply> {
  const metered = meter(whole, run.estimate(served), hiddenOutput(run));
  const outcome = run.disconnectedAtMs === null ? 'completed' : 'aborted';
  const charged = await chargeRun(run, served, metered, outcome);
  if (run.keeper !== null) await run.keeper.keep();
  const reply = {
    body: CLIENT_PROTOCOLS[run.client.format].addCost(run.client, whole.body, dollarsToJson(charged)),
    headers: {
      'content-type': whole.contentType ?? 'application/json',
      'cache-control': 'no-store',
      'x-svc-credits-charged': String(creditsToJson(charged)),
      ...run.headers,
    },
  };
  if (run.claim !== null) await run.claim.keep(reply);
  return reply;
}
