import { expect, test } from 'vitest';
import { GET } from '@/app/v1/events/route.api';
import { DAY_MS, MINUTE_MS } from '@/server/base/clock';
import { inTransaction, pool, prisma } from '@/server/base/db';
import { newId } from '@/server/base/ids';
import { createPartner, disablePartner, type Partner } from '@/server/partners/partner';
import { recordEvent } from '@/server/partners/webhooks/record';
import { sweepDeliveries } from '@/server/partners/webhooks/retention';
import {
  beginSecretRotation,
  createSecret,
  finishSecretRotation,
  revealSecret,
} from '@/server/partners/webhooks/signing-secret';
import { newDatabase } from '../../harness';
import { until } from '../../harness/until';
import {
  allowLoopback,
  deliverDue,
  freezeClock,
  newListeningPartner,
  recordKey,
  recordTest,
} from './hook-world';
import { startReceiver } from './receiver';

await newDatabase();
allowLoopback();

type Reader = Pick<Partner, 'id' | 'publishableKey'> & { secret: string };
type Page = { data: { id: string; type: string; data: Record<string, unknown> }[]; has_more: boolean };

/** An app with a signing secret and no endpoint. */
async function newReader(): Promise<Reader> {
  const partner = await createPartner({ name: 'Acme Notes', rateBp: 0, origins: [] });
  await createSecret(partner.id);
  const shown = await revealSecret(partner.id);
  return { ...partner, secret: shown?.secret ?? '' };
}

function get({ publishableKey, secret }: Omit<Reader, 'id'>, query: Record<string, string> = {}) {
  const basic = Buffer.from(`${publishableKey}:${secret}`).toString('base64');
  const url = `http://localhost/v1/events?${new URLSearchParams(query)}`;
  return GET(new Request(url, { headers: { authorization: `Basic ${basic}` } }));
}

async function read(reader: Reader, query: Record<string, string> = {}): Promise<Page> {
  const response = await get(reader, query);
  expect(response.status).toBe(200);
  return (await response.json()) as Page;
}

const idsOf = (page: Page) => page.data.map(({ id }) => id);

async function refusal(response: Response) {
  const { error } = (await response.json()) as { error: { type: string } };
  return [response.status, error.type];
}

test('an app without an endpoint reads its events page by page, oldest first, and no app reads those of another', async () => {
  const [reader, other] = [await newReader(), await newReader()];
  const recorded: string[] = [];
  for (let i = 0; i < 5; i++) recorded.push(await recordTest(reader.id));
  await recordTest(other.id);
  const first = await read(reader, { limit: '2' });
  expect(first.has_more).toBe(true);
  const second = await read(reader, { limit: '3', after: idsOf(first)[1] ?? '' });
  expect(second.has_more).toBe(false);
  expect([...idsOf(first), ...idsOf(second)].sort()).toEqual(recorded.sort());
  expect(await read(reader, { after: idsOf(second)[2] ?? '' })).toEqual({ data: [], has_more: false });
  expect(await prisma().delivery.count({ where: { partnerId: reader.id } })).toBe(0);
});

test('an event that commits after a later one was read follows it', async () => {
  const reader = await newReader();
  const data = { partner_id: reader.id, message: 'slow' };
  const event = { partnerId: reader.id, type: 'test', causeId: newId('evt'), data } as const;
  const [slowId, quickId] = await inTransaction(async (tx) => {
    const slow = await recordEvent(tx, event);
    // In a transaction of its own, which commits first.
    const quick = await recordTest(reader.id);
    expect(idsOf(await read(reader))).toEqual([quick]);
    return [slow, quick];
  });
  expect(idsOf(await read(reader, { after: quickId }))).toEqual([slowId]);
  expect(idsOf(await read(reader))).toEqual([quickId, slowId]);
});

test('readers that run together see each event once, in the same order', async () => {
  const reader = await newReader();
  const follow = async () => {
    const seen: string[] = [];
    while (seen.length < 60) {
      const after = seen.at(-1);
      seen.push(...idsOf(await read(reader, { limit: '7', ...(after !== undefined && { after }) })));
    }
    return seen;
  };
  const write = async () => {
    for (let i = 0; i < 20; i++) await recordTest(reader.id);
  };
  const [first, second] = await Promise.all([follow(), follow(), write(), write(), write()]);
  expect(new Set(first).size).toBe(60);
  expect(second).toEqual(first);
});

test('a reader that starts while another one gives out positions waits for it', async () => {
  const reader = await newReader();
  const first = await recordTest(reader.id);
  const countWaiting = async () => {
    const { rows } = await pool().query(
      "SELECT FROM pg_stat_activity WHERE datname = current_database() AND wait_event_type = 'Lock'",
    );
    return rows.length;
  };
  const { readings, earlier } = await inTransaction(async (tx) => {
    await tx.$executeRaw`SELECT FROM event WHERE id = ${first} FOR UPDATE`;
    const one = read(reader);
    await until(countWaiting, (count) => count === 1);
    const earlier = await recordTest(reader.id);
    await prisma().event.update({ where: { id: earlier }, data: { createdAt: new Date(0) } });
    const two = read(reader);
    await until(countWaiting, (count) => count === 2);
    return { readings: [one, two], earlier };
  });
  const [one = [], two] = (await Promise.all(readings)).map(idsOf);
  // The first may see the second one's work when it reads.
  expect([one[0], two]).toEqual([first, [first, earlier]]);
});

test('an event that a receiver missed is listed byte for byte as it was sent, and its id continues the list', async () => {
  const receiver = await startReceiver(400);
  const partner = await newListeningPartner(receiver.url);
  const reader = { ...partner, secret: partner.secret };
  await recordKey(partner.id);
  await recordTest(partner.id);
  await deliverDue();
  const { data } = await read(reader);
  expect(data.map((event) => JSON.stringify(event)).sort()).toEqual(
    receiver.received.map(({ body }) => body).sort(),
  );
  const [first, second] = data;
  expect(idsOf(await read(reader, { after: first?.id ?? '' }))).toEqual([second?.id]);
});

test('a webhook’s id works as a cursor before the list was ever read', async () => {
  const reader = await newReader();
  const id = await recordTest(reader.id);
  const next = await recordTest(reader.id);
  await prisma().event.update({ where: { id }, data: { createdAt: new Date(0) } });
  expect(idsOf(await read(reader, { after: id }))).toEqual([next]);
});

test('the user key of an event is null once it was delivered, and otherwise after one day', async () => {
  const clock = freezeClock();
  const keysOf = async (of: Reader) => (await read(of)).data.map(({ data }) => data.user_key);
  const receiver = await startReceiver(204);
  const delivered = await newListeningPartner(receiver.url);
  await recordKey(delivered.id);
  await deliverDue();
  expect(await keysOf(delivered)).toEqual([null]);

  const failing = await newListeningPartner(receiver.url);
  receiver.respondWith(400);
  await recordKey(failing.id, 'svc_sk_failing');
  await deliverDue();
  const without = await newReader();
  await recordKey(without.id, 'svc_sk_without');
  clock.advance(DAY_MS - MINUTE_MS);
  await sweepDeliveries();
  expect([await keysOf(failing), await keysOf(without)]).toEqual([['svc_sk_failing'], ['svc_sk_without']]);
  clock.advance(2 * MINUTE_MS);
  await sweepDeliveries();
  expect([await keysOf(failing), await keysOf(without)]).toEqual([[null], [null]]);
});

test('an unknown cursor, the event of another app and one older than 30 days are refused with the way to go on', async () => {
  const clock = freezeClock();
  const [reader, other] = [await newReader(), await newReader()];
  const old = await recordTest(reader.id);
  clock.advance(30 * DAY_MS + 1);
  const fresh = await recordTest(reader.id);
  await sweepDeliveries();
  for (const after of ['evt_none', '', "'", await recordTest(other.id), old]) {
    const response = await get(reader, { after });
    expect(response.status).toBe(400);
    expect(await response.json()).toMatchObject({
      error: { type: 'invalid_request', param: 'after', message: expect.stringContaining('Omit `after`') },
    });
  }
  expect(idsOf(await read(reader))).toEqual([fresh]);
});

test('only the publishable key with its signing secret opens the list, with both secrets during a rotation', async () => {
  const [reader, other] = [await newReader(), await newReader()];
  const { publishableKey } = reader;
  const wrong = [
    { publishableKey, secret: '' },
    { publishableKey, secret: other.secret },
    { publishableKey, secret: `${reader.secret}x` },
    { publishableKey: `${publishableKey}:`, secret: reader.secret },
  ];
  for (const pair of wrong) expect(await refusal(await get(pair))).toEqual([401, 'invalid_signing_secret']);
  const unknown = { publishableKey: 'svc_pk_none', secret: reader.secret };
  expect(await refusal(await get(unknown))).toEqual([401, 'invalid_publishable_key']);
  for (const authorization of [
    undefined,
    'Basic',
    'Basic %%%',
    'Basic bm9uZQ==',
    `Bearer ${reader.secret}`,
  ]) {
    const headers = authorization === undefined ? {} : { authorization };
    const response = await GET(new Request('http://localhost/v1/events', { headers }));
    expect(await refusal(response)).toEqual([401, 'invalid_signing_secret']);
  }
  const noSecret = await createPartner({ name: 'Quiet', rateBp: 0, origins: [] });
  expect(await refusal(await get({ ...noSecret, secret: '' }))).toEqual([401, 'invalid_signing_secret']);

  const begun = await beginSecretRotation(reader.id);
  const next = { publishableKey, secret: begun.ok ? begun.nextSecret : '' };
  expect([(await get(reader)).status, (await get(next)).status]).toEqual([200, 200]);
  await finishSecretRotation(reader.id);
  expect([(await get(reader)).status, (await get(next)).status]).toEqual([401, 200]);
  await disablePartner(reader.id);
  expect(await refusal(await get(next))).toEqual([403, 'partner_disabled']);
});

test('an app without a signing secret has no events', async () => {
  const { id } = await createPartner({ name: 'Quiet', rateBp: 0, origins: [] });
  await expect(recordTest(id)).rejects.toThrow('listens nowhere');
  expect(await prisma().event.count({ where: { partnerId: id } })).toBe(0);
});

test('an app that asks too often gets 429 with the time to wait, and no one else can use up its requests', async () => {
  const reader = await newReader();
  for (let i = 0; i < 250; i++) await get({ ...reader, secret: 'whsec_guess' });
  const statuses = new Set<number>();
  for (let i = 0; i < 240; i++) statuses.add((await get(reader)).status);
  expect([...statuses]).toEqual([200]);
  const response = await get(reader);
  expect(response.headers.get('retry-after')).toMatch(/^\d+$/);
  expect(await refusal(response)).toEqual([429, 'rate_limited']);
});
