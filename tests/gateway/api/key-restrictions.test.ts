import { afterEach, describe, expect, test } from 'vitest';
import { pool, prisma } from '@/server/base/db';
import { returnIdleHolds } from '@/server/ledger/kept-holds';
import { findPartner } from '@/server/partners/partner';
import { findAppOfUser } from '@/server/people/apps-of-user';
import { type KeyRestrictions, restrictKey, restrictKeysOfApp } from '@/server/people/keys/restrict';
import { startApi } from '../../harness/api-server';
import { newDatabase } from '../../harness/database';
import { newPerson } from '../../harness/people';
import { mint } from '../../people/identity/app-world';

/** User keys that only work from certain networks or websites, through the real listener. */

await newDatabase();
const { url } = await startApi({ trustedProxies: ['loopback'] });
const person = await newPerson({ credits: 1_000 });

type From = { ip?: string; origin?: string; key?: string };
type Refusal = { error: { type: string; message: string } };

const BODY = { model: 'sandbox/echo', max_tokens: 20, messages: [{ role: 'user', content: 'hi' }] };
const QUOTE = { endpoint: '/v1/chat/completions', request: BODY };
const headersOf = ({ ip, origin, key = person.userKey }: From) => ({
  authorization: `Bearer ${key}`,
  'content-type': 'application/json',
  'x-forwarded-for': ip ?? '198.51.100.1',
  ...(origin !== undefined && { origin }),
});
const post = (path: string, from: From, body: object = BODY) =>
  fetch(url + path, { method: 'POST', headers: headersOf(from), body: JSON.stringify(body) });
const get = (path: string, from: From) => fetch(url + path, { headers: headersOf(from) });

const ENDPOINTS: [string, (from: From) => Promise<Response>][] = [
  ['POST /v1/chat/completions', (from) => post('/v1/chat/completions', from)],
  ['POST /v1/messages', (from) => post('/v1/messages', from)],
  ['POST /v1/messages/count_tokens', (from) => post('/v1/messages/count_tokens', from)],
  ['GET /v1/credits/balance', (from) => get('/v1/credits/balance', from)],
  ['GET /v1/credits/history', (from) => get('/v1/credits/history', from)],
  ['POST /v1/credits/quote', (from) => post('/v1/credits/quote', from, QUOTE)],
  ['a malformed POST /v1/chat/completions', (from) => post('/v1/chat/completions', from, {})],
];

const restrict = (given: Partial<KeyRestrictions>) =>
  restrictKey(person.userId, person.keyId, { origins: '', networks: '', ...given });
afterEach(async () => {
  await restrict({});
  await restrictKeysOfApp(person.partnerId, '');
});

async function expectRestricted(response: Response, to: RegExp, secrets: string[]): Promise<void> {
  const text = await response.text();
  expect([response.status, (JSON.parse(text) as Refusal).error]).toMatchObject([
    403,
    { type: 'key_restricted', message: expect.stringMatching(to) },
  ]);
  for (const secret of secrets) expect(text).not.toContain(secret);
}

describe.each(ENDPOINTS)('%s', (name, call) => {
  const served = name.startsWith('a malformed') ? 400 : 200;

  test('a key restricted to networks is refused from any other, without naming the networks @attack', async () => {
    await restrict({ networks: '203.0.113.0/24, 2001:db8:1::/48' });
    for (const ip of ['203.0.113.0', '203.0.113.255', '::ffff:203.0.113.7', '2001:db8:1:ffff::1'])
      expect([ip, (await call({ ip })).status]).toEqual([ip, served]);
    for (const ip of [
      '203.0.112.255',
      '203.0.114.0',
      '10.0.0.1',
      '::1',
      '2001:db8:2::',
      'fe80::1%eth0',
      'unknown',
    ])
      await expectRestricted(await call({ ip }), /networks that its owner chose/, [
        '203.0.113',
        '2001:db8:1',
      ]);
  });

  test('a key restricted to websites is refused on any other and without a page @attack', async () => {
    await restrict({ origins: 'https://app.example.com https://b.example:8443' });
    for (const origin of ['https://app.example.com', 'https://b.example:8443'])
      expect([origin, (await call({ origin })).status]).toEqual([origin, served]);
    const others = [
      'https://app.example.com.evil.example',
      'http://app.example.com',
      'null',
      'https://b.example',
    ];
    for (const origin of [...others, undefined]) {
      const from = origin === undefined ? {} : { origin };
      await expectRestricted(await call(from), /websites that its owner chose/, [
        '//app.example.com',
        'b.example',
      ]);
    }
  });

  test('networks and websites must both match', async () => {
    await restrict({ networks: '203.0.113.7', origins: 'https://app.example.com' });
    const origin = 'https://app.example.com';
    expect((await call({ ip: '203.0.113.7', origin })).status).toBe(served);
    await expectRestricted(await call({ ip: '203.0.113.8', origin }), /networks that its owner/, []);
    await expectRestricted(await call({ ip: '203.0.113.7' }), /websites that its owner/, []);
  });

  test('a partner restricts all keys of its app, old and new, and no other app’s @attack', async () => {
    await restrictKeysOfApp(person.partnerId, '192.0.2.0/28');
    const { appUserId } = await prisma().userApp.findUniqueOrThrow({
      where: { userId_partnerId: { userId: person.userId, partnerId: person.partnerId } },
    });
    const { userKey } = await mint({ ...person, appUserId: String(appUserId), email: '' });
    for (const key of [person.userKey, userKey]) {
      expect((await call({ ip: '192.0.2.15', key })).status).toBe(served);
      await expectRestricted(await call({ ip: '192.0.2.16', key }), /networks that the app chose/, [
        '192.0.2',
      ]);
    }
    const other = await newPerson({ credits: 10 });
    expect((await call({ ip: '192.0.2.16', key: other.userKey })).status).toBe(served);
  });
});

test('an unrestricted key works from anywhere, also when the client IP is not known', async () => {
  for (const ip of ['203.0.113.7', '::1', 'unknown'])
    expect((await post('/v1/chat/completions', { ip })).status).toBe(200);
});

test('a refusal holds no credits and is no use of the key @attack', async () => {
  const read = async () => {
    const { rows } = await pool().query(
      `SELECT k.last_used_at, w.held, w.money, (SELECT count(*) FROM hold) AS holds
       FROM user_key k JOIN wallet w USING (user_id) WHERE k.id = $1`,
      [person.keyId],
    );
    return rows;
  };
  await restrict({ networks: '203.0.113.7' });
  await pool().query(`UPDATE user_key SET last_used_at = now() - interval '1 hour' WHERE id = $1`, [
    person.keyId,
  ]);
  await returnIdleHolds();
  const before = await read();
  for (const [, call] of ENDPOINTS) expect((await call({ ip: '203.0.113.8' })).status).toBe(403);
  expect(await read()).toEqual(before);
});

test('requests that share a statement are decided each for itself @attack', async () => {
  await restrict({ networks: '203.0.113.0/24', origins: 'https://app.example.com' });
  const others = await Promise.all(Array.from({ length: 6 }, () => newPerson({ credits: 100 })));
  const requests: Promise<number>[] = [];
  const send = async (from: From) => (await post('/v1/chat/completions', from)).status;
  for (let i = 0; i < 60; i++) {
    const key = others[i % others.length]?.userKey ?? '';
    requests.push(send({ key, ip: 'fe80::1%eth0' }));
    requests.push(send({ ip: i % 2 ? '203.0.113.9' : 'fe80::1%eth0', origin: 'https://app.example.com' }));
  }
  const statuses = await Promise.all(requests);
  const expected = Array.from({ length: 60 }, (_, i) => [200, i % 2 ? 200 : 403]).flat();
  expect(statuses).toEqual(expected);
});

test('only the owner of a live key restricts it, and a malformed list changes nothing', async () => {
  const stranger = await newPerson();
  const networks = '203.0.113.7';
  expect(await restrictKey(stranger.userId, person.keyId, { origins: '', networks })).toBe(false);
  await restrict({ networks });
  await expect(restrict({ networks: 'home' })).rejects.toMatchObject({
    code: 'invalid_request',
    param: 'networks',
  });
  await expect(restrict({ origins: 'example' })).rejects.toMatchObject({ param: 'origins' });
  expect((await get('/v1/credits/balance', { ip: '203.0.113.8' })).status).toBe(403);
  await restrict({});
  expect((await get('/v1/credits/balance', { ip: '203.0.113.8' })).status).toBe(200);
});

test('the owner sees the restrictions of a key, and the partner those of its app', async () => {
  const read = async () => {
    const app = await findAppOfUser(person.userId, person.partnerId);
    const key = app?.keys.find(({ keyId }) => keyId === person.keyId);
    return [key?.origins, key?.networks, (await findPartner(person.partnerId))?.keyNetworks];
  };
  expect(await read()).toEqual([[], [], []]);
  await restrict({ origins: 'https://app.example.com', networks: '203.0.113.7 2001:db8::/32' });
  await restrictKeysOfApp(person.partnerId, '10.0.0.0/8');
  expect(await read()).toEqual([
    ['https://app.example.com'],
    ['203.0.113.7', '2001:db8::/32'],
    ['10.0.0.0/8'],
  ]);
});
