import { afterAll, beforeEach, describe, expect, test, vi } from 'vitest';
import { DAY_MS, HOUR_MS, MINUTE_MS, setClock } from '@/server/base/clock';
import { pool, prisma } from '@/server/base/db';
import { readRevokeToken, writeRevokeToken } from '@/server/people/keys/revoke-link';
import { coarseNetworkOf, forgetOldUses, noteKeyUse, writeKeyUses } from '@/server/people/keys/uses';
import { findKeyOfLink, revokeByLink } from '@/server/people/revoke-by-link';
import { sendMails } from '@/server/process/mail-jobs';
import { newDatabase } from '../../harness';
import { startApi } from '../../harness/api-server';
import { newPerson, type Person } from '../../harness/people';
import { openMailbox } from './mailbox';

/** Unusual use, through real requests from many networks; time is set by the test. */

await newDatabase();
const mailbox = await openMailbox();
const { url } = await startApi({ trustedProxies: ['loopback'] });
const logged: string[] = [];
vi.spyOn(process.stdout, 'write').mockImplementation((line) => logged.push(String(line)) > 0);

let time = Date.now() + DAY_MS;
setClock(() => time);
afterAll(() => setClock());
const pass = (ms: number) => {
  time += ms;
};
// Each test begins early on a day of its own, so that mails of one day belong to one test.
beforeEach(() => pass(2 * DAY_MS - (time % DAY_MS)));

async function useFrom({ userKey }: Person, ip: string): Promise<void> {
  const response = await fetch(`${url}/v1/chat/completions`, {
    method: 'POST',
    headers: { authorization: `Bearer ${userKey}`, 'x-forwarded-for': ip },
    body: JSON.stringify({
      model: 'sandbox/echo',
      max_tokens: 10,
      messages: [{ role: 'user', content: 'hi' }],
    }),
  });
  expect(response.status).toBe(200);
  await response.text();
}

/** Writes and mails what was noted, as the background jobs do. */
async function runJobs(): Promise<void> {
  await writeKeyUses();
  await sendMails('key');
}

async function mailsOf({ userId }: Person) {
  const { email } = await prisma().user.findUniqueOrThrow({ where: { id: userId } });
  return mailbox.mails.filter(({ recipients }) => recipients.includes(email)).map(({ mail }) => mail);
}

/** Uses the key from its networks, day by day, for more than a week. */
async function settle(person: Person, ips: string[]): Promise<void> {
  for (let day = 0; day < 8; day++) {
    for (const ip of ips) await useFrom(person, ip);
    await runJobs();
    pass(DAY_MS);
  }
}

test('a settled key that is used from a new network causes one mail, with a link that revokes it @attack', async () => {
  const person = await newPerson({ credits: 100 });
  await settle(person, ['203.0.113.7', '203.0.113.250', '203.0.99.1', '2001:db8:1::5']);
  expect(await mailsOf(person)).toEqual([]);
  await useFrom(person, '198.51.100.9');
  await runJobs();
  const [mail, ...more] = await mailsOf(person);
  expect(more).toEqual([]);
  expect(mail?.subject).toMatch(/^Unusual use of your key for/);
  expect(mail?.text).toContain('from a network that it had not been used from before (198.51.0.0/16)');
  expect(mail?.text).toContain(`svc_sk_…${person.userKey.slice(-4)}`);
  const everything = JSON.stringify(mail);
  for (const secret of [person.userKey, person.userId, '198.51.100.9'])
    expect(everything).not.toContain(secret);

  await useFrom(person, '198.51.100.9');
  await useFrom(person, '192.0.2.1');
  await runJobs();
  expect(await mailsOf(person)).toHaveLength(1);

  const token =
    new URL(/http\S+revoke-key\S+/.exec(mail?.text ?? '')?.[0] ?? '').searchParams.get('token') ?? '';
  expect(await findKeyOfLink(token)).toMatchObject({ last4: person.userKey.slice(-4), isLive: true });
  expect(await Promise.all([revokeByLink(token), revokeByLink(token)])).toEqual([true, true]);
  const { revokedAt, revokeReason } = await prisma().userKey.findUniqueOrThrow({
    where: { id: person.keyId },
  });
  expect([revokedAt !== null, revokeReason]).toEqual([true, 'user_revoked']);
});

describe('causes no mail', () => {
  test('a key in its first week, wherever it is used from', async () => {
    const person = await newPerson({ credits: 100 });
    for (let day = 0; day < 6; day++) {
      await useFrom(person, `10.${day}.0.1`);
      await runJobs();
      pass(DAY_MS);
    }
    expect(await mailsOf(person)).toEqual([]);
  });

  test('a key whose owner moves about: it has more than two networks', async () => {
    const person = await newPerson({ credits: 100 });
    await settle(person, ['10.1.0.1', '10.2.0.1', '10.3.0.1']);
    for (let n = 0; n < 4; n++) {
      await useFrom(person, `10.1${n}.0.1`);
      await runJobs();
      pass(DAY_MS);
    }
    expect(await mailsOf(person)).toEqual([]);
  });

  test('servers of the app, once other keys of the app are used from there too', async () => {
    const person = await newPerson({ credits: 100 });
    await settle(person, ['10.20.0.1']);
    // The app moves: three other keys are used from its new network before this one.
    for (let n = 0; n < 3; n++) noteKeyUse(`key_${String(n).repeat(22)}`, person.partnerId, '10.30.0.1');
    await runJobs();
    await useFrom(person, '10.30.0.2');
    await runJobs();
    expect(await mailsOf(person)).toEqual([]);
    // The keys of another app prove nothing.
    for (let n = 3; n < 6; n++) noteKeyUse(`key_${String(n).repeat(22)}`, 'prt_other', '10.40.0.1');
    await runJobs();
    await useFrom(person, '10.40.0.1');
    await runJobs();
    expect(await mailsOf(person)).toHaveLength(1);
  });

  test('a key that was revoked before the mail was sent', async () => {
    const person = await newPerson({ credits: 100 });
    await settle(person, ['10.50.0.1']);
    await useFrom(person, '10.51.0.1');
    await writeKeyUses();
    await revokeByLink(writeRevokeToken(person.keyId));
    await sendMails('key');
    expect(await mailsOf(person)).toEqual([]);
  });
});

test('more than eight networks within an hour cause a mail, whatever the age of the key @attack', async () => {
  const person = await newPerson({ credits: 100 });
  for (let n = 0; n < 8; n++) await useFrom(person, `172.${n}.0.1`);
  await runJobs();
  pass(HOUR_MS);
  for (let n = 8; n < 16; n++) await useFrom(person, `172.${n}.0.1`);
  await runJobs();
  expect(await mailsOf(person)).toEqual([]);
  pass(10 * MINUTE_MS);
  await useFrom(person, '172.16.0.1');
  await runJobs();
  const mails = await mailsOf(person);
  expect(mails.map(({ text }) => /from 9 different networks within an hour/.test(text ?? ''))).toEqual([
    true,
  ]);
});

test('uses in parallel and from many processes cause one mail a day, and another on the next', async () => {
  const person = await newPerson({ credits: 1_000 });
  const burst = async (from: number) => {
    await Promise.all(Array.from({ length: 10 }, (_, n) => useFrom(person, `${from}.${n}.0.1`)));
    await Promise.all([writeKeyUses(), writeKeyUses()]);
    await Promise.all([sendMails('key'), sendMails('key'), sendMails('key')]);
  };
  for (const from of [20, 21, 22]) await burst(from);
  expect(await mailsOf(person)).toHaveLength(1);
  pass(DAY_MS);
  await burst(23);
  expect(await mailsOf(person)).toHaveLength(2);
});

test('a mail that could not be sent is sent later; what was unusual is erased then', async () => {
  const person = await newPerson({ credits: 100 });
  await settle(person, ['10.60.0.1']);
  await useFrom(person, '10.61.0.1');
  const { userId } = person;
  const { email } = await prisma().user.findUniqueOrThrow({ where: { id: userId } });
  const rename = (to: string) => prisma().user.update({ where: { id: userId }, data: { email: to } });
  await rename('no recipient');
  await runJobs();
  const read = () =>
    prisma().dueMail.findFirst({ where: { kind: 'key', ref: { path: ['keyId'], equals: person.keyId } } });
  expect(await read()).toMatchObject({ attempts: 1, dueAt: new Date(time + MINUTE_MS) });
  await rename(email);
  await sendMails('key');
  expect(await mailsOf(person)).toEqual([]);
  pass(MINUTE_MS);
  await sendMails('key');
  expect(await mailsOf(person)).toHaveLength(1);
  expect(await read()).toBeNull();
});

test('no address is stored, and networks are forgotten after 90 days or with their key', async () => {
  const [kept, revoked] = [await newPerson({ credits: 10 }), await newPerson({ credits: 10 })];
  for (const person of [kept, revoked]) await useFrom(person, '203.0.113.7');
  await writeKeyUses();
  const { rows } = await pool().query<{ text: string }>('SELECT n::text AS text FROM key_network n');
  for (const { text } of rows) expect(text).toMatch(/^\(key_\w{22},"\\\\x[0-9a-f]{32}","[^"]+","[^"]+"\)$/);
  const countOf = (person: Person) => prisma().keyNetwork.count({ where: { keyId: person.keyId } });
  await revokeByLink(writeRevokeToken(revoked.keyId));
  await forgetOldUses();
  expect([await countOf(kept), await countOf(revoked)]).toEqual([1, 0]);
  pass(90 * DAY_MS + 1);
  await forgetOldUses();
  expect(await countOf(kept)).toBe(0);
});

test('a use that could not be written is written later', async () => {
  const person = await newPerson({ credits: 10 });
  await useFrom(person, '203.0.113.7');
  await pool().query('ALTER TABLE key_network RENAME TO gone');
  await expect(writeKeyUses()).rejects.toThrow();
  await pool().query('ALTER TABLE gone RENAME TO key_network');
  await writeKeyUses();
  expect(await prisma().keyNetwork.count({ where: { keyId: person.keyId } })).toBe(1);
});

test.each([
  ['203.0.113.7', '203.0.0.0/16'],
  ['2001:db8:1::5', '2001:db8::/32'],
  ['2001::1', '2001::/32'],
  ['::1', '0::/32'],
  ['fe80::1', 'fe80::/32'],
])('%s is in the network %s', (ip, network) => {
  expect(coarseNetworkOf(ip)).toBe(network);
});

test('a link works for 30 days and for its own key only @attack', async () => {
  const [mine, other] = [await newPerson(), await newPerson()];
  const token = writeRevokeToken(mine.keyId);
  const [id = '', expiry = '', signature = ''] = token.split('.');
  const forged = [
    `${other.keyId}.${expiry}.${signature}`,
    `${id}.${(time + 365 * DAY_MS).toString(36)}.${signature}`,
    `${id}.${expiry}.${'A'.repeat(43)}`,
    `${id}.${expiry}`,
    mine.keyId,
    '',
    'x'.repeat(10_000),
  ];
  for (const text of forged) expect([readRevokeToken(text), await revokeByLink(text)]).toEqual([null, false]);
  pass(30 * DAY_MS - 1);
  expect(readRevokeToken(token)).toBe(mine.keyId);
  pass(1);
  expect([readRevokeToken(token), await findKeyOfLink(token)]).toEqual([null, null]);
  expect(
    await prisma().userKey.count({ where: { id: { in: [mine.keyId, other.keyId] }, revokedAt: null } }),
  ).toBe(2);
});

test('no key, address or e-mail address is in the log @attack', () => {
  expect(logged.join('')).not.toMatch(
    /svc_sk_[0-9A-Za-z]|@example\.com|usr_[0-9A-Za-z]|203\.0\.113|198\.51\.100/,
  );
});
