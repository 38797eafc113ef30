import { now } from '../../base/clock';
import { inTransaction } from '../../base/db';
import { newId } from '../../base/ids';
import { claimOne, LEASE_MS } from './claim';
import { deliver } from './deliver';
import { findSendBlocker, isTooMany, refuse, type SendResult, toSendResult } from './delivery-log';
import { recordEvent } from './record';

/** Sends a `test` event and waits for the first attempt. A failed one is retried like any event. */
export async function sendTestEvent(partnerId: string): Promise<SendResult> {
  if (await isTooMany(partnerId)) return refuse('too_many');
  const blocker = await findSendBlocker(partnerId);
  if (blocker === 'no_endpoint') return refuse(blocker);
  const eventId = await recordForUs(partnerId);
  const claim = eventId && (await claimOne(partnerId, eventId, { isManual: false }));
  const result = claim && (await deliver(claim));
  if (!eventId || !result) return refuse((await findSendBlocker(partnerId)) ?? 'running');
  return toSendResult(eventId, result);
}

/**
 * Records an event that is due later, so that no other process makes the first attempt unless this process
 * dies.
 */
function recordForUs(partnerId: string): Promise<string | null> {
  return inTransaction(async (tx) => {
    const eventId = await recordEvent(tx, {
      partnerId,
      type: 'test',
      causeId: newId('evt'),
      data: { partner_id: partnerId, message: 'This is a test event. Your endpoint works.' },
    });
    if (eventId !== null)
      await tx.delivery.update({ where: { eventId }, data: { dueAt: new Date(now() + LEASE_MS) } });
    return eventId;
  });
}
