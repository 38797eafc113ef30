import { creditsToJson } from '../credits';
import { capture } from '../ledger';
import type { CatalogModel } from '../pricing/catalog';
import type { WholeAnswer } from '../providers/exchange';
import { chargeMetered, meter, writeReceipt } from './meter';
import type { Run } from './run';

/** Sends a whole answer, settled before it goes out. */
export async function answerWhole(run: Run, served: CatalogModel, whole: WholeAnswer): Promise<Response> {
  const metered = meter(whole, run.estimator);
  const settled = await capture(
    run.hold,
    chargeMetered(metered, served, run.hold),
    writeReceipt(metered, { asked: run.model, served, outcome: 'completed' }),
  );
  run.endLease();
  return new Response(whole.body, {
    headers: {
      'content-type': 'application/json',
      'cache-control': 'no-store',
      'x-svc-credits-charged': String(creditsToJson(settled?.captured ?? 0n)),
      ...run.headers,
    },
  });
}
