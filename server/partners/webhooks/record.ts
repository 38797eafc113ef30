import { nowDate } from '../../base/clock';
import type { Tx } from '../../base/db';
import { newId } from '../../base/ids';
import { seal } from '../../base/seal';
import { type Envelope, EVENT_DATA, type EventData, type EventType } from './events';

export type NewEvent<T extends EventType> = {
  partnerId: string;
  type: T;
  /** The cause (key id, payment session, save). Each cause is recorded only once. */
  causeId: string;
  data: EventData<T>;
};

/**
 * Records an event in the same transaction as its cause, and its delivery if the partner has an endpoint. Returns
 * the event's id, or null when the partner has no signing secret or the cause was already recorded.
 */
export async function recordEvent<T extends EventType>(
  tx: Tx,
  { partnerId, type, causeId, data }: NewEvent<T>,
): Promise<string | null> {
  const partner = await tx.partner.findUnique({
    where: { id: partnerId },
    select: { webhookUrl: true, webhookSecret: true },
  });
  if (!partner?.webhookSecret) return null;
  const id = newId('evt');
  const createdAt = nowDate();
  const envelope: Envelope<T> = { id, type, created_at: createdAt.toISOString(), data };
  EVENT_DATA[type].parse(data);
  const body = seal(JSON.stringify(envelope), id);
  const shownBody = sealShownBody(envelope);
  const { count } = await tx.event.createMany({
    data: [{ id, partnerId, type, causeId, body, shownBody, createdAt }],
    skipDuplicates: true,
  });
  if (count === 0) return null;
  if (partner.webhookUrl !== null)
    await tx.delivery.create({ data: { eventId: id, partnerId, dueAt: createdAt, createdAt } });
  return id;
}

/** The envelope with the user key masked, for the delivery log; null when it contains no key. */
function sealShownBody({ data, ...head }: Envelope): Uint8Array<ArrayBuffer> | null {
  if (!('user_key' in data)) return null;
  const shown = {
    ...head,
    data: { ...data, user_key: `${data.user_key.slice(0, 7)}…${data.user_key.slice(-4)}` },
  };
  return seal(JSON.stringify(shown), shownIn(head.id));
}

/** The context that the masked copy of a body is sealed to, so that it cannot be used as the body itself. */
export const shownIn = (eventId: string): string => `${eventId} shown`;
