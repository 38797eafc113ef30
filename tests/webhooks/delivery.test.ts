import { describe, expect, it } from 'vitest';
import { deliver } from '@/server/webhooks/deliver';
import { sweepDeliveries } from '@/server/webhooks/retention';
import { newDatabase } from '../harness';
import {
  allowLoopback,
  deliverDue,
  endLeases,
  newListeningPartner,
  readDelivery,
  recordKey,
  recordTest,
  takeDue,
} from './hook-world';
import { startReceiver } from './receiver';

await newDatabase();
allowLoopback();

describe('an attempt of a process that died', () => {
  it('is given back once, with nothing taken from the three', async () => {
    const receiver = await startReceiver();
    const { id } = await newListeningPartner(receiver.url);
    const eventId = await recordTest(id);
    expect(await takeDue()).toHaveLength(1);
    expect(await takeDue()).toEqual([]);
    await endLeases();
    await deliverDue();
    const delivery = await readDelivery(eventId);
    expect(delivery).toMatchObject({ status: 'delivered', attempts: 1, sends: 2, forgiven: true });
    expect(delivery.log.map(({ error, durationMs }) => [error, durationMs])).toEqual([
      ['lost', null],
      [null, expect.any(Number)],
    ]);
  });

  it('counts from the second time on, so that a poisonous event ends', async () => {
    const { id } = await newListeningPartner('http://127.0.0.1:9/hook');
    const eventId = await recordKey(id);
    for (const attempts of [1, 1, 2, 3]) {
      expect(await takeDue()).toHaveLength(1);
      expect((await readDelivery(eventId)).attempts).toBe(attempts);
      await endLeases();
    }
    expect(await takeDue()).toEqual([]);
    await sweepDeliveries();
    expect(await readDelivery(eventId)).toMatchObject({ status: 'failed', event: { body: null } });
  });

  it('writes nothing when it comes back after its lease', async () => {
    const receiver = await startReceiver(400);
    const { id } = await newListeningPartner(receiver.url);
    const eventId = await recordTest(id);
    const [late] = await takeDue();
    await endLeases();
    receiver.answerWith(200);
    await deliverDue();
    receiver.answerWith(400);
    if (late) await deliver(late);
    expect(await readDelivery(eventId)).toMatchObject({ status: 'delivered', sends: 2 });
  });

  it('does not start when its lease is nearly over', async () => {
    const receiver = await startReceiver();
    const { id } = await newListeningPartner(receiver.url);
    await recordTest(id);
    const [slow] = await takeDue();
    expect(slow && (await deliver({ ...slow, claimedAtMs: performance.now() - 5_001 }))).toBeNull();
    expect(receiver.received).toEqual([]);
    await endLeases();
    await deliverDue();
  });
});
