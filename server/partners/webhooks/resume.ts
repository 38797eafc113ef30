import { nowDate } from '../../base/clock';
import type { Tx } from '../../base/db';

/**
 * Makes events that waited for a disabled partner due immediately. This also extends how long their user keys
 * are kept.
 */
export async function resumeDeliveries(tx: Tx, partnerId: string): Promise<void> {
  await tx.delivery.updateMany({
    where: { partnerId, status: 'pending', dueAt: { lt: nowDate() } },
    data: { dueAt: nowDate() },
  });
}
