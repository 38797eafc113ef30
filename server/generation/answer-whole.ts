import { creditsToJson } from '../credits';
import { Reply } from '../http/respond';
import { capture } from '../ledger';
import type { AnsweredWhole } from './attempt';
import { chargeMetered, meter, writeReceipt } from './meter';
import type { Run } from './run';

/** Sends a whole answer, settled before it goes out. */
export async function answerWhole(run: Run, { served, whole }: AnsweredWhole): Promise<Reply> {
  const metered = meter(whole, run.estimate(served));
  const settled = await capture(
    run.hold,
    chargeMetered(metered, served, run.hold),
    writeReceipt(metered, { asked: run.model, served, outcome: 'completed' }),
  );
  run.endLease();
  return new Reply(whole.body, {
    'content-type': 'application/json',
    'cache-control': 'no-store',
    'x-svc-credits-charged': String(creditsToJson(settled?.captured ?? 0n)),
    ...run.headers,
  });
}
