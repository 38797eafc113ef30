import { createHmac } from 'node:crypto';
import { describe, expect, it } from 'vitest';
import { DAY_MS } from '@/server/base/clock';
import { disablePartner, enablePartner } from '@/server/partners/partner';
import { deliver } from '@/server/partners/webhooks/deliver';
import { resendDelivery } from '@/server/partners/webhooks/delivery-log';
import { clearEndpoint, setEndpoint } from '@/server/partners/webhooks/endpoint';
import { sweepDeliveries } from '@/server/partners/webhooks/retention';
import { beginSecretRotation, finishSecretRotation } from '@/server/partners/webhooks/signing-secret';
import { readMetrics } from '@/server/process/metrics/metrics';
import { newDatabase } from '../../harness';
import {
  allowLoopback,
  deliverDue,
  endLeases,
  freezeClock,
  newListeningPartner,
  readDelivery,
  recordKey,
  recordTest,
  takeDue,
} from './hook-world';
import { type Received, startReceiver } from './receiver';

await newDatabase();
allowLoopback();

/** The verification of a receiver, written independently. */
function isSigned({ headers, body }: Received, secret: string): boolean {
  const [, t, v1] = /^t=(\d+),v1=([0-9a-f]{64})$/.exec(String(headers['x-svc-signature'])) ?? [];
  return v1 === createHmac('sha256', secret).update(`${t}.${body}`).digest('hex');
}

describe('a delivery', () => {
  it('is a POST of the envelope, signed over its exact bytes', async () => {
    const clock = freezeClock();
    const receiver = await startReceiver();
    const partner = await newListeningPartner(receiver.url);
    const eventId = await recordTest(partner.id, 'Grüße 👋 / "a\\b"');
    await deliverDue();
    const [received] = receiver.received;
    expect(received && isSigned(received, partner.secret)).toBe(true);
    expect(received).toMatchObject({
      path: '/hook',
      headers: {
        'content-type': 'application/json',
        'x-svc-event': 'test',
        'x-svc-signature': expect.stringContaining(`t=${Math.floor(clock.at / 1000)},v1=`),
        'content-length': String(Buffer.byteLength(received?.body ?? '')),
        'accept-encoding': 'identity',
      },
    });
    expect(JSON.parse(received?.body ?? '')).toEqual({
      id: eventId,
      type: 'test',
      created_at: new Date(clock.at).toISOString(),
      data: { partner_id: partner.id, message: 'Grüße 👋 / "a\\b"' },
    });
  });

  it('is attempted 0, 2 and 8 seconds after the first attempt began, with the same bytes and a fresh signature', async () => {
    const clock = freezeClock();
    const receiver = await startReceiver(500);
    const partner = await newListeningPartner(receiver.url);
    const eventId = await recordTest(partner.id);
    clock.advance(60_000);
    for (const waitMs of [0, 1_999, 1, 5_999, 1, 60_000]) {
      clock.advance(waitMs);
      await deliverDue();
    }
    const { log, ...delivery } = await readDelivery(eventId);
    const began = log.map(({ beganAt }) => beganAt.getTime() - (log[0]?.beganAt.getTime() ?? 0));
    expect(began).toEqual([0, 2_000, 8_000]);
    expect(delivery).toMatchObject({ status: 'failed', attempts: 3 });
    expect(new Set(receiver.received.map(({ body }) => body)).size).toBe(1);
    expect(receiver.received.every((received) => isSigned(received, partner.secret))).toBe(true);
    expect(new Set(receiver.received.map(({ headers }) => headers['x-svc-signature'])).size).toBe(3);
  });

  it('is never attempted again before the previous attempt ended', async () => {
    const clock = freezeClock();
    // The receiver responds after three seconds, on our clock.
    const receiver = await startReceiver((response) => response.writeHead(500).end());
    const { id } = await newListeningPartner(receiver.url);
    const eventId = await recordTest(id);
    const [claim] = await takeDue();
    clock.advance(3_000);
    if (claim) await deliver(claim);
    const { firstAttemptAt, dueAt } = await readDelivery(eventId);
    expect(dueAt.getTime() - (firstAttemptAt?.getTime() ?? 0)).toBeGreaterThanOrEqual(3_000);
    expect(dueAt.getTime() - (firstAttemptAt?.getTime() ?? 0)).toBeLessThan(4_000);
  });

  it.each([
    [200, 'delivered'],
    [201, 'delivered'],
    [204, 'delivered'],
    [299, 'delivered'],
    [300, 'pending'],
    [304, 'pending'],
    [307, 'pending'],
    [400, 'failed'],
    [401, 'failed'],
    [403, 'failed'],
    [404, 'failed'],
    [405, 'failed'],
    [408, 'pending'],
    [409, 'failed'],
    [410, 'failed'],
    [422, 'failed'],
    [425, 'failed'],
    [429, 'pending'],
    [499, 'failed'],
    [500, 'pending'],
    [502, 'pending'],
    [503, 'pending'],
    [599, 'pending'],
    [600, 'pending'],
    [999, 'pending'],
  ])('with the response %i is %s', async (status, outcome) => {
    const receiver = await startReceiver(status);
    const { id } = await newListeningPartner(receiver.url);
    const eventId = await recordTest(id);
    await deliverDue();
    expect(receiver.received).toHaveLength(1);
    const { log, ...delivery } = await readDelivery(eventId);
    expect(delivery).toMatchObject({ status: outcome, attempts: 1 });
    expect(log).toMatchObject([{ status, error: null }]);
    await clearEndpoint(id);
  });

  it('goes to the new address with the new secret after they change', async () => {
    const clock = freezeClock();
    const [before, after] = [await startReceiver(500), await startReceiver()];
    const partner = await newListeningPartner(before.url);
    await recordTest(partner.id);
    await deliverDue();
    await setEndpoint(partner.id, after.url);
    const begun = await beginSecretRotation(partner.id);
    await finishSecretRotation(partner.id);
    clock.advance(2_000);
    await deliverDue();
    expect(before.received).toHaveLength(1);
    expect(after.received).toHaveLength(1);
    const [received] = after.received;
    expect(received && isSigned(received, begun.ok ? begun.nextSecret : '')).toBe(true);
    expect(received && isSigned(received, partner.secret)).toBe(false);
  });

  it('pauses while the partner is disabled, without using up an attempt, and resumes afterwards', async () => {
    const clock = freezeClock();
    const receiver = await startReceiver(500);
    const { id } = await newListeningPartner(receiver.url);
    const [started, waiting] = [await recordTest(id), await recordTest(id)];
    const [claim] = (await takeDue()).filter(({ eventId }) => eventId === started);
    if (claim) await deliver(claim);
    await endLeases();
    await disablePartner(id);
    clock.advance(3 * DAY_MS);
    expect(await takeDue()).toEqual([]);
    await sweepDeliveries();
    await enablePartner(id);
    receiver.respondWith(200);
    await deliverDue();
    expect(await readDelivery(started)).toMatchObject({ status: 'delivered', attempts: 2 });
    expect(await readDelivery(waiting)).toMatchObject({ status: 'delivered', attempts: 1 });
  });

  it('stops when the address is cleared between two attempts, or during one', async () => {
    const clock = freezeClock();
    const receiver = await startReceiver(500);
    const { id } = await newListeningPartner(receiver.url);
    const [between, during] = [await recordKey(id), await recordKey(id)];
    const claims = await takeDue();
    await Promise.all(claims.filter(({ eventId }) => eventId === between).map(deliver));
    await clearEndpoint(id);
    await Promise.all(claims.filter(({ eventId }) => eventId === during).map(deliver));
    clock.advance(10_000);
    await setEndpoint(id, receiver.url);
    expect(await takeDue()).toEqual([]);
    expect(receiver.received).toHaveLength(2);
    for (const eventId of [between, during]) {
      expect(await readDelivery(eventId)).toMatchObject({
        status: 'stopped',
        event: { body: null },
        log: [{ status: 500 }],
      });
    }
  });
});

describe('a user key in the outbox', () => {
  const isErased = async (eventId: string) => (await readDelivery(eventId)).event.body === null;

  it('is sealed, and erased on success', async () => {
    const receiver = await startReceiver();
    const { id } = await newListeningPartner(receiver.url);
    const eventId = await recordKey(id, 'svc_sk_CANARY');
    const { event } = await readDelivery(eventId);
    expect(
      Buffer.concat([event.body ?? Buffer.of(), event.shownBody ?? Buffer.of()]).includes('CANARY'),
    ).toBe(false);
    await deliverDue();
    expect(receiver.received[0]?.body).toContain('svc_sk_CANARY');
    expect(await isErased(eventId)).toBe(true);
  });

  it('is kept for a day after the receiver refused it or the third attempt failed, so that it can be read or resent', async () => {
    const clock = freezeClock();
    const receiver = await startReceiver(410);
    const { id } = await newListeningPartner(receiver.url);
    const refused = await recordKey(id);
    await deliverDue();
    receiver.respondWith(500);
    const [failed, resent] = [await recordKey(id), await recordKey(id)];
    for (const _ of [1, 2, 3]) {
      await deliverDue();
      clock.advance(8_000);
    }
    receiver.respondWith(204);
    await resendDelivery(id, resent);
    expect(await isErased(resent)).toBe(true);
    clock.advance(DAY_MS - 25_000);
    await sweepDeliveries();
    for (const eventId of [refused, failed]) {
      expect(await readDelivery(eventId)).toMatchObject({ status: 'failed' });
      expect(await isErased(eventId)).toBe(false);
    }
    clock.advance(2_000);
    await sweepDeliveries();
    expect([await isErased(refused), await isErased(failed)]).toEqual([true, true]);
  });

  it('is erased after a day in a queue, and after seven while the partner is disabled', async () => {
    const clock = freezeClock();
    const [busy, paused] = [
      await newListeningPartner('http://127.0.0.1:9/a'),
      await newListeningPartner('http://127.0.0.1:9/b'),
    ];
    const [queued, kept, plain] = [
      await recordKey(busy.id),
      await recordKey(paused.id),
      await recordTest(busy.id),
    ];
    await disablePartner(paused.id);
    clock.advance(DAY_MS - 1);
    await sweepDeliveries();
    expect([await isErased(queued), await isErased(kept)]).toEqual([false, false]);
    clock.advance(2);
    await sweepDeliveries();
    expect([await isErased(queued), await isErased(kept), await isErased(plain)]).toEqual([
      true,
      false,
      false,
    ]);
    expect((await readDelivery(queued)).status).toBe('expired');
    clock.advance(6 * DAY_MS);
    await sweepDeliveries();
    expect(await readDelivery(kept)).toMatchObject({ status: 'expired', event: { body: null } });
  });

  it('survives the sweep after a pause, so that it can still be delivered', async () => {
    const clock = freezeClock();
    const receiver = await startReceiver();
    const { id } = await newListeningPartner(receiver.url);
    const eventId = await recordKey(id);
    await disablePartner(id);
    clock.advance(3 * DAY_MS);
    await enablePartner(id);
    await sweepDeliveries();
    await deliverDue();
    expect((await readDelivery(eventId)).status).toBe('delivered');
    expect(receiver.received).toHaveLength(1);
  });
});

it('an event is deleted, with its log, after thirty days', async () => {
  const clock = freezeClock();
  const { id } = await newListeningPartner((await startReceiver()).url);
  const [old] = [await recordTest(id)];
  await deliverDue();
  clock.advance(30 * DAY_MS - 1);
  const young = await recordTest(id);
  await sweepDeliveries();
  expect((await readDelivery(old)).log).toHaveLength(1);
  clock.advance(2);
  await sweepDeliveries();
  await expect(readDelivery(old)).rejects.toThrow();
  await expect(readDelivery(young)).resolves.toBeDefined();
});

describe('an attempt of a process that died', () => {
  it('is returned once, without using up an attempt', async () => {
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

  it('counts from the second time on, so that an event that crashes the process ends', async () => {
    const { id } = await newListeningPartner('http://127.0.0.1:9/hook');
    const eventId = await recordKey(id);
    for (const attempts of [1, 1, 2, 3]) {
      expect(await takeDue()).toHaveLength(1);
      expect((await readDelivery(eventId)).attempts).toBe(attempts);
      await endLeases();
    }
    expect(await takeDue()).toEqual([]);
    await sweepDeliveries();
    const { log, ...delivery } = await readDelivery(eventId);
    expect(delivery).toMatchObject({ status: 'failed', leaseToken: null });
    expect(log.map(({ number, error }) => [number, error])).toEqual([1, 2, 3, 4].map((n) => [n, 'lost']));
  });

  it('writes nothing when it resumes after its lease', async () => {
    const receiver = await startReceiver(400);
    const { id } = await newListeningPartner(receiver.url);
    const eventId = await recordTest(id);
    const [late] = await takeDue();
    await endLeases();
    receiver.respondWith(200);
    await deliverDue();
    receiver.respondWith(400);
    if (late) await deliver(late);
    expect(await readDelivery(eventId)).toMatchObject({ status: 'delivered', sends: 2 });
  });

  it('does not start when its lease is about to end', async () => {
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

it('metrics report what is waiting, for how long, and the outcomes', async () => {
  const receiver = await startReceiver((response, { id }) =>
    response.writeHead(receiver.received.findIndex((got) => got.id === id) % 2 === 0 ? 200 : 503).end(),
  );
  const { id } = await newListeningPartner(receiver.url);
  await recordTest(id);
  await recordTest(id);
  await deliverDue();
  const gone = await newListeningPartner('http://127.0.0.1:9/hook');
  await recordTest(gone.id);
  await deliverDue();
  const metrics = await readMetrics();
  expect(metrics).toMatch(/^svc_webhooks_pending 2$/m);
  expect(metrics).toMatch(/^svc_webhooks_overdue_seconds [0-9.]+$/m);
  expect(metrics).toMatch(/^svc_webhook_attempts_last_hour\{outcome="connection"\} 1$/m);
  expect(metrics).toMatch(/^svc_webhook_attempts_last_hour\{outcome="2xx"\} \d+$/m);
  expect(metrics).toMatch(/^svc_webhook_attempts_last_hour\{outcome="5xx"\} \d+$/m);
});
