import { expect, expectTypeOf, test } from 'vitest';
import type { z } from 'zod';
import type { eventPageSchema } from '@/server/api/events';
import { now, SECOND_MS } from '@/server/base/clock';
import { signatureHeader } from '@/server/partners/webhooks/sign';
import { beginSecretRotation, finishSecretRotation } from '@/server/partners/webhooks/signing-secret';
import { type SvcEvent, type verifyWebhook as Verify, verifyWebhook } from '@/widget/loader/webhooks';
import { newDatabase } from '../../harness';
import { allowLoopback, deliverDue, newListeningPartner, recordKey, recordTest } from './hook-world';
import { startReceiver } from './receiver';

/** The function of the served package, with deliveries of the service. */

await newDatabase();
allowLoopback();

type Listed = z.output<typeof eventPageSchema>['data'][number];

const SECRET = 'whsec_one';
const BODY = JSON.stringify({ id: 'evt_1', type: 'test', data: { message: 'Grüße 👋 \u2028' } });
const NOW = 1_800_000_000;

const check = (
  header: string | undefined,
  body: string | Uint8Array = BODY,
  secret: Parameters<typeof Verify>[2] = SECRET,
) => verifyWebhook(body, { 'X-svc-Signature': header }, secret, NOW);
const sign = (secret = SECRET, at = NOW) => signatureHeader(secret, BODY, at);

test('a real delivery is verified with each kind of headers, as text and as bytes', async () => {
  const receiver = await startReceiver();
  const { id, secret } = await newListeningPartner(receiver.url);
  await recordKey(id, 'svc_sk_verified');
  await recordTest(id);
  await deliverDue();
  expect(receiver.received).toHaveLength(2);
  for (const { body, headers } of receiver.received) {
    const event: SvcEvent | null = verifyWebhook(body, headers, secret);
    expect(event).toEqual(JSON.parse(body));
    if (event?.type === 'user_key.created') expect(event.data.user_key).toBe('svc_sk_verified');
    const ofFetch = new Headers({ 'x-svc-signature': String(headers['x-svc-signature']) });
    expect(verifyWebhook(Buffer.from(body), ofFetch, secret)).toEqual(event);
    expect(verifyWebhook(`${body} `, headers, secret)).toBeNull();
  }
});

test('during a rotation, a receiver with both secrets accepts the deliveries before and after the switch', async () => {
  const receiver = await startReceiver();
  const { id, secret } = await newListeningPartner(receiver.url);
  await recordTest(id);
  await deliverDue();
  const begun = await beginSecretRotation(id);
  const next = begun.ok ? begun.nextSecret : '';
  await finishSecretRotation(id);
  await recordTest(id);
  await deliverDue();
  const accepted = (secrets: string | string[]) =>
    receiver.received.map(({ body, headers }) => verifyWebhook(body, headers, secrets) !== null);
  expect([accepted([secret, next]), accepted(secret), accepted(next)]).toEqual([
    [true, true],
    [true, false],
    [false, true],
  ]);
});

test('a tampered body, a stale time, another secret and every malformed header are refused', () => {
  const good = sign();
  const [time, v1] = good.split(',');
  expect(check(good)).toEqual(JSON.parse(BODY));
  expect(check(sign(SECRET, NOW - 300))).not.toBeNull();
  expect(check(sign(SECRET, NOW + 300))).not.toBeNull();
  const refused = [
    undefined,
    '',
    'nonsense',
    time,
    v1,
    `t=NaN,${v1}`,
    `${time},${time},${v1}`,
    `t=,${v1}`,
    sign(SECRET, NOW - 301),
    sign(SECRET, NOW + 301),
    sign('whsec_two'),
    good.slice(0, -2),
    `t=${NOW - 1},${v1}`,
    good.toUpperCase(),
    `${time},${v1?.toUpperCase()}`,
    `${time},v0=${v1?.slice(3)}`,
  ];
  expect(refused.map((header) => check(header))).toEqual(refused.map(() => null));
  expect(check(good, BODY.replace('evt_1', 'evt_2'))).toBeNull();
  expect(check(good, JSON.stringify(JSON.parse(BODY), null, 1))).toBeNull();
});

test('the types of the package are those of the service', () => {
  // Checked by the compiler.
  expectTypeOf<Listed>().toExtend<SvcEvent>();
  expectTypeOf<SvcEvent>().toExtend<Listed>();
});

test('one valid signature of two is sufficient, with one secret and with two', () => {
  const other = sign('whsec_two').split(',')[1];
  for (const header of [`${sign()},${other}`, sign().replace(',', `,${other},`)]) {
    expect(check(header)).not.toBeNull();
    expect(check(header, BODY, ['whsec_three', SECRET])).not.toBeNull();
    expect(check(header, BODY, ['whsec_three', 'whsec_four'])).toBeNull();
  }
});

test('a missing secret and a parsed body are mistakes, and do not accept or refuse an event', () => {
  for (const secret of ['', [], [SECRET, ''], undefined as unknown as string])
    expect(() => verifyWebhook(BODY, {}, secret)).toThrow('the signing secret is missing');
  const parsed = JSON.parse(BODY) as string;
  expect(() => check(sign(), parsed)).toThrow('before any parser');
  expect(Math.abs(Math.floor(now() / SECOND_MS) - NOW)).toBeGreaterThan(300);
  expect(verifyWebhook(BODY, { 'x-svc-signature': sign() }, SECRET)).toBeNull();
});
