import { nowDate } from '../clock';
import type { Tx } from '../db';
import { newId } from '../ids';
import { type Envelope, EVENT_DATA, type EventData, type EventType } from './events';
import { seal } from './seal';

export type NewEvent<T extends EventType> = {
  partnerId: string;
  type: T;
  /** What made it true (key id, payment session, save): the same fact is recorded once. */
  causeId: string;
  data: EventData<T>;
};

/**
 * Puts an event into the outbox, in the transaction that makes the fact true. Does nothing when
 * the partner listens nowhere, or when the fact was recorded before.
 */
export async function recordEvent<T extends EventType>(
  tx: Tx,
  { partnerId, type, causeId, data }: NewEvent<T>,
): Promise<void> {
  const partner = await tx.partner.findUnique({ where: { id: partnerId }, select: { webhookUrl: true } });
  if (!partner?.webhookUrl) return;
  const id = newId('evt');
  const createdAt = nowDate();
  const envelope: Envelope<T> = { id, type, created_at: createdAt.toISOString(), data };
  EVENT_DATA[type].parse(data);
  const { count } = await tx.event.createMany({
    data: [{ id, partnerId, type, causeId, body: seal(JSON.stringify(envelope), id), createdAt }],
    skipDuplicates: true,
  });
  if (count === 0) return;
  await tx.delivery.create({ data: { eventId: id, partnerId, dueAt: createdAt, createdAt } });
}
