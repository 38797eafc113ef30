import { nowDate } from '../clock';
import type { Tx } from '../db';

/** What waited while a partner was disabled is due from now on, and its user keys are kept a while longer. */
export async function resumeDeliveries(tx: Tx, partnerId: string): Promise<void> {
  await tx.delivery.updateMany({
    where: { partnerId, status: 'pending', dueAt: { lt: nowDate() } },
    data: { dueAt: nowDate() },
  });
}
