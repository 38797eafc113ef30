import { describe, expect, it } from 'vitest';
import { disablePartner, enablePartner } from '@/server/partners/partner';
import { findDelivery, listDeliveries, resendDelivery } from '@/server/partners/webhooks/delivery-log';
import { clearEndpoint } from '@/server/partners/webhooks/endpoint';
import { sendTestEvent } from '@/server/partners/webhooks/send-test-event';
import { newDatabase } from '../../harness';
import {
  allowLoopback,
  deliverDue,
  freezeClock,
  newListeningPartner,
  readDelivery,
  recordKey,
  recordTest,
  takeDue,
} from './hook-world';
import { startReceiver } from './receiver';

await newDatabase();
allowLoopback();

describe('the delivery log', () => {
  it('shows each attempt with time, status and response, newest event first, page by page', async () => {
    const clock = freezeClock();
    const receiver = await startReceiver(503);
    const { id } = await newListeningPartner(receiver.url);
    const events: string[] = [];
    for (let at = 0; at < 5; at++) {
      events.unshift(await recordTest(id));
      clock.advance(1);
    }
    await deliverDue();
    receiver.respondWith(204);
    clock.advance(2_000);
    await deliverDue();

    const first = await listDeliveries(id, { limit: 3 });
    expect(first.hasMore).toBe(true);
    const rest = await listDeliveries(id, { limit: 3, before: first.deliveries.at(-1)?.eventId });
    expect(rest.hasMore).toBe(false);
    const all = [...first.deliveries, ...rest.deliveries];
    expect(all.map(({ eventId }) => eventId)).toEqual(events);
    expect(all[0]).toMatchObject({
      type: 'test',
      status: 'delivered',
      nextAttemptAt: null,
      isRunning: false,
      canResend: true,
      attempts: [
        { number: 1, status: 503, error: null, response: 'status 503', isManual: false },
        { number: 2, status: 204, error: null, response: '', isManual: false },
      ],
    });
    expect(all[0]?.attempts[1]?.beganAt).toEqual(new Date(clock.at));
    expect(all[0]?.body).toBe(receiver.received.find((got) => got.id === events[0])?.body);
  });

  it('filters by kind and by status', async () => {
    const { id } = await newListeningPartner((await startReceiver()).url);
    const key = await recordKey(id);
    await deliverDue();
    const test = await recordTest(id);
    const ids = async (filter: object) =>
      (await listDeliveries(id, { limit: 10, ...filter })).deliveries.map(({ eventId }) => eventId);
    expect(await ids({})).toEqual([test, key]);
    expect(await ids({ type: 'test' })).toEqual([test]);
    expect(await ids({ status: 'delivered' })).toEqual([key]);
    expect(await ids({ type: 'test', status: 'delivered' })).toEqual([]);
  });

  it('never shows a user key, before or after its delivery, even if the receiver echoes it', async () => {
    const userKey = 'svc_sk_CANARYCANARYCANARY1234';
    const receiver = await startReceiver((response, { body }) => response.end(`got ${body}`));
    const { id } = await newListeningPartner(receiver.url);
    const eventId = await recordKey(id, userKey);
    const before = await findDelivery(id, eventId);
    await deliverDue();
    const after = await findDelivery(id, eventId);
    expect(receiver.received[0]?.body).toContain(userKey);
    expect(JSON.stringify([before, after])).not.toContain('CANARY');
    expect(JSON.parse(after?.body ?? '')).toMatchObject({ id: eventId, data: { user_key: 'svc_sk_…1234' } });
    expect(after?.attempts[0]?.response).toContain('svc_sk_***');
    expect(after?.canResend).toBe(false);
  });

  it('shows no events of other partners', async () => {
    const owner = await newListeningPartner((await startReceiver()).url);
    const stranger = await newListeningPartner((await startReceiver()).url);
    const eventId = await recordTest(owner.id);
    expect(await findDelivery(stranger.id, eventId)).toBeNull();
    expect(await resendDelivery(stranger.id, eventId)).toMatchObject({ ok: false, reason: 'not_found' });
    expect(await listDeliveries(stranger.id, { limit: 10 })).toEqual({ deliveries: [], hasMore: false });
    expect(await listDeliveries(stranger.id, { limit: 10, before: eventId })).toEqual({
      deliveries: [],
      hasMore: false,
    });
    expect((await readDelivery(eventId)).attempts).toBe(0);
    await deliverDue();
  });
});

it('an attempt without a response is explained in a sentence', async () => {
  const { id } = await newListeningPartner('http://127.0.0.1:9/hook');
  const explanation = 'The connection was refused or closed';
  const sent = await sendTestEvent(id);
  expect(sent).toMatchObject({ ok: true, isDelivered: false, result: { error: 'connection' }, explanation });
  const logged = sent.ok ? await findDelivery(id, sent.eventId) : null;
  expect(logged?.attempts).toMatchObject([{ status: null, error: 'connection', explanation }]);
});

describe('a manual resend', () => {
  it('sends the same bytes again, and a success turns a failed event into a delivered one', async () => {
    const receiver = await startReceiver(400);
    const { id } = await newListeningPartner(receiver.url);
    const eventId = await recordTest(id);
    await deliverDue();
    expect((await readDelivery(eventId)).status).toBe('failed');

    expect(await resendDelivery(id, eventId)).toMatchObject({
      ok: true,
      isDelivered: false,
      result: { status: 400 },
    });
    expect((await readDelivery(eventId)).status).toBe('failed');
    receiver.respondWith(200);
    expect(await resendDelivery(id, eventId)).toMatchObject({
      ok: true,
      isDelivered: true,
      result: { status: 200 },
    });
    const delivery = await readDelivery(eventId);
    expect(delivery).toMatchObject({ status: 'delivered', attempts: 1, sends: 3 });
    expect(delivery.log.map(({ isManual }) => isManual)).toEqual([false, true, true]);
    expect(new Set(receiver.received.map(({ body }) => body)).size).toBe(1);
  });

  it('does not change the schedule of a waiting event', async () => {
    const clock = freezeClock();
    const receiver = await startReceiver(500);
    const { id } = await newListeningPartner(receiver.url);
    const eventId = await recordTest(id);
    await deliverDue();
    const { dueAt } = await readDelivery(eventId);
    expect(await resendDelivery(id, eventId)).toMatchObject({ ok: true, result: { status: 500 } });
    expect(await readDelivery(eventId)).toMatchObject({ status: 'pending', attempts: 1, dueAt });
    clock.advance(2_000);
    await deliverDue();
    clock.advance(6_000);
    await deliverDue();
    expect(await readDelivery(eventId)).toMatchObject({ status: 'failed', attempts: 3, sends: 4 });
  });

  it('never runs during another attempt of the event', async () => {
    const { id } = await newListeningPartner((await startReceiver()).url);
    const eventId = await recordTest(id);
    const [running] = await takeDue();
    expect(running?.eventId).toBe(eventId);
    expect(await resendDelivery(id, eventId)).toMatchObject({ ok: false, reason: 'running' });
  });

  it('explains why nothing is sent: the key is erased, the endpoint cleared, the app disabled', async () => {
    const receiver = await startReceiver();
    const { id } = await newListeningPartner(receiver.url);
    const [key, test] = [await recordKey(id), await recordTest(id)];
    await deliverDue();
    expect(await resendDelivery(id, key)).toMatchObject({ ok: false, reason: 'erased' });
    await disablePartner(id);
    expect(await resendDelivery(id, test)).toMatchObject({ ok: false, reason: 'disabled' });
    await enablePartner(id);
    await clearEndpoint(id);
    expect(await resendDelivery(id, test)).toMatchObject({ ok: false, reason: 'no_endpoint' });
    expect(receiver.received).toHaveLength(2);
  });
});

describe('the test event', () => {
  it('reports its result immediately', async () => {
    const receiver = await startReceiver();
    const { id } = await newListeningPartner(receiver.url);
    const sent = await sendTestEvent(id);
    expect(sent).toMatchObject({
      ok: true,
      isDelivered: true,
      result: { status: 200, error: null, response: 'status 200', durationMs: expect.any(Number) },
    });
    expect(JSON.parse(receiver.received[0]?.body ?? '')).toEqual({
      id: sent.ok && sent.eventId,
      type: 'test',
      created_at: expect.stringMatching(/^\d{4}-\d\d-\d\dT[\d:.]+Z$/),
      data: { partner_id: id, message: expect.any(String) },
    });
    expect(await takeDue()).toEqual([]);
  });

  it('is retried like any event when it fails', async () => {
    const clock = freezeClock();
    const receiver = await startReceiver(500);
    const { id } = await newListeningPartner(receiver.url);
    const sent = await sendTestEvent(id);
    expect(sent).toMatchObject({ ok: true, isDelivered: false });
    expect(await takeDue()).toEqual([]);
    receiver.respondWith(200);
    clock.advance(2_000);
    await deliverDue();
    expect(receiver.received).toHaveLength(2);
    expect((await readDelivery(sent.ok ? sent.eventId : '')).status).toBe('delivered');
  });

  it('is refused after twenty in a minute, as is resending, and nothing is recorded', async () => {
    const clock = freezeClock();
    const receiver = await startReceiver();
    const { id } = await newListeningPartner(receiver.url);
    for (let n = 0; n < 20; n++) expect(await sendTestEvent(id)).toMatchObject({ ok: true });
    expect(await sendTestEvent(id)).toMatchObject({ ok: false, reason: 'too_many' });
    const { deliveries } = await listDeliveries(id, { limit: 100 });
    expect(deliveries).toHaveLength(20);
    expect(await resendDelivery(id, deliveries[0]?.eventId ?? '')).toMatchObject({ reason: 'too_many' });
    clock.advance(60_000);
    expect(await sendTestEvent(id)).toMatchObject({ ok: true });
    expect(receiver.received).toHaveLength(21);
  });

  it('is refused without an endpoint and while the app is disabled', async () => {
    const { id } = await newListeningPartner((await startReceiver()).url);
    await disablePartner(id);
    expect(await sendTestEvent(id)).toMatchObject({ ok: false, reason: 'disabled' });
    await enablePartner(id);
    await clearEndpoint(id);
    expect(await sendTestEvent(id)).toMatchObject({ ok: false, reason: 'no_endpoint' });
  });
});
