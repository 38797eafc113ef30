import { DAY_MS, HOUR_MS, now } from '../../base/clock';
import { prisma } from '../../base/db';
import { describeError, log } from '../../base/log';
import type { Reversal } from './payment-processor';
import { stripeProcessor } from './stripe/processor';
import { takeBack } from './take-back';

const NAME = 'reversals';
/** Stripe keeps events for 30 days. */
const KEPT_MS = 30 * DAY_MS;

/**
 * Once a day, reads the payments again that had a refund, dispute or warning since the last time, in case an
 * event was lost. Called more often; several instances may do it at once.
 */
export async function sweepReversals(): Promise<{ read: number; failed: number }> {
  const result = { read: 0, failed: 0 };
  const begunAt = now();
  const mark = await prisma().watermark.findUniqueOrThrow({ where: { name: NAME } });
  if (begunAt - mark.upTo.getTime() < DAY_MS) return result;
  const since = Math.max(mark.upTo.getTime() - HOUR_MS, begunAt - KEPT_MS);
  for (const reversal of await listDistinct(new Date(since))) {
    result.read += 1;
    if (!(await reread(reversal))) result.failed += 1;
  }
  // What failed is read again at the next call.
  if (result.failed === 0)
    await prisma().watermark.update({ where: { name: NAME }, data: { upTo: new Date(begunAt) } });
  return result;
}

async function listDistinct(since: Date): Promise<Reversal[]> {
  const found = new Map<string, Reversal>();
  for await (const reversal of stripeProcessor.listReversals(since))
    found.set(`${reversal.paymentId} ${reversal.kind}`, reversal);
  return [...found.values()];
}

async function reread(reversal: Reversal): Promise<boolean> {
  try {
    await takeBack(reversal);
    return true;
  } catch (error) {
    log().warn(
      { payment_id: reversal.paymentId, error: describeError(error) },
      'could not reread a reversal',
    );
    return false;
  }
}
