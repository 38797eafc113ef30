import { createHash, generateKeyPairSync, type KeyObject, sign } from 'node:crypto';
import { expect, test, vi } from 'vitest';
import { listenOnLoopback } from '@/sandbox/loopback-server';
import { MINUTE_MS, setClock } from '@/server/base/clock';
import { prisma } from '@/server/base/db';
import { newUserKey } from '@/server/base/tokens';
import { disablePartner } from '@/server/partners/partner';
import { restrictKey } from '@/server/people/keys/restrict';
import { sendMails } from '@/server/process/mail-jobs';
import { newDatabase } from '../../harness';
import { startApi } from '../../harness/api-server';
import { readBlock } from '../../harness/blocks';
import { type AppUser, mint, newAppUser, newPartner, recordedEvents } from './app-world';
import { openMailbox } from './mailbox';

/** Reports signed as GitHub signs them, against a list of public keys on loopback. */

const HOUR_MS = 60 * MINUTE_MS;
const scanner = newScanner('scanner-1');
let listed: object = listOf(scanner);
let listStatus = 200;
let listReads = 0;
const list = await listenOnLoopback(async (_request, response) => {
  listReads++;
  response.writeHead(listStatus, { 'content-type': 'application/json' }).end(JSON.stringify(listed));
});
process.env.SECRET_SCANNING_KEYS_URL = `${list.url}/meta/public_keys/secret_scanning`;

await newDatabase();
const mailbox = await openMailbox();
const { url } = await startApi({ trustedProxies: ['loopback'] });
const partner = await newPartner();
const logged: string[] = [];
vi.spyOn(process.stdout, 'write').mockImplementation((line) => logged.push(String(line)) > 0);

type Scanner = { identifier: string; publicKey: KeyObject; privateKey: KeyObject };
type Verdict = { token_hash: string; token_type: string; label: string };

function newScanner(identifier: string, namedCurve = 'prime256v1'): Scanner {
  return { identifier, ...generateKeyPairSync('ec', { namedCurve }) };
}

function listOf(...scanners: Scanner[]): object {
  return {
    public_keys: scanners.map(({ identifier, publicKey }) => ({
      key_identifier: identifier,
      key: publicKey.export({ type: 'spki', format: 'pem' }),
      is_current: true,
    })),
  };
}

const signed = ({ identifier, privateKey }: Scanner, body: string) => ({
  'github-public-key-identifier': identifier,
  'github-public-key-signature': sign('sha256', Buffer.from(body), privateKey).toString('base64'),
});

async function send(body: string, headers: Record<string, string> = signed(scanner, body), ip = '192.0.2.1') {
  const response = await fetch(`${url}/v1/secret-scanning`, {
    method: 'POST',
    headers: { 'content-type': 'application/json', 'x-forwarded-for': ip, ...headers },
    body,
  });
  const text = await response.text();
  return {
    status: response.status,
    text,
    headers: response.headers,
    verdicts: JSON.parse(text) as Verdict[],
  };
}

const reportOf = (token: string, where = 'https://github.com/ada/notes/blob/main/.env') => ({
  token,
  type: 'svc_user_key',
  url: where,
  source: 'commit',
});
const report = (tokens: string[]) => send(JSON.stringify(tokens.map((token) => reportOf(token))));

async function newKey(): Promise<{ user: AppUser; userKey: string; keyId: string }> {
  const user = await newAppUser(partner.id);
  return { user, ...(await mint(user)) };
}

const isLive = async (keyId: string) =>
  (await prisma().userKey.findUniqueOrThrow({ where: { id: keyId } })).revokedAt === null;
const mailsTo = (email: string) => mailbox.mails.filter(({ recipients }) => recipients.includes(email));

test('a reported key stops working, its app gets an event and its owner a mail that names the host only', async () => {
  const { user, userKey, keyId } = await newKey();
  const other = await newKey();
  // As the guide shows both.
  const sent = readBlock('docs/keys.md', '"source": "commit"').replace('svc_sk_…', userKey);
  const { status, verdicts, text } = await send(sent);
  const hash = createHash('sha256').update(userKey).digest('hex');
  const response = readBlock('docs/keys.md', '"label": "true_positive"').replace(/<[^>]+>/, hash);
  expect([status, verdicts]).toEqual([200, JSON.parse(response)]);
  expect(text).not.toContain(userKey);
  const balance = await fetch(`${url}/v1/credits/balance`, {
    headers: { authorization: `Bearer ${userKey}` },
  });
  expect(balance.status).toBe(401);
  expect(await isLive(other.keyId)).toBe(true);
  const events = (await recordedEvents(partner.id)).filter(({ data }) => data.key_id === keyId);
  expect(events.map(({ type, data }) => [type, data.reason])).toContainEqual(['user_key.revoked', 'leaked']);

  await sendMails('key');
  const [mailed, ...more] = mailsTo(user.email);
  expect(more).toEqual([]);
  expect(mailed?.mail.subject).toMatch(/^Your key for .+ was found in public and revoked$/);
  expect(mailed?.mail.text).toContain('was found on github.com.');
  expect(mailed?.mail.text).toContain(`svc_sk_…${userKey.slice(-4)}`);
  for (const secret of [userKey, 'ada/notes']) expect(JSON.stringify(mailed)).not.toContain(secret);
});

test('a mail names an app only once its name was approved @attack', async () => {
  const unnamed = await newKey();
  const named = await newPartner();
  await prisma().partner.update({ where: { id: named.id }, data: { nameApprovedAt: new Date() } });
  const user = await newAppUser(named.id);
  await prisma().partner.update({ where: { id: partner.id }, data: { nameApprovedAt: null } });
  await report([unnamed.userKey, (await mint(user)).userKey]);
  await sendMails('key');
  expect(mailsTo(unnamed.user.email)[0]?.mail.subject).toBe(
    'Your key for an app was found in public and revoked',
  );
  expect(JSON.stringify(mailsTo(unnamed.user.email))).not.toContain('Acme Notes');
  expect(mailsTo(user.email)[0]?.mail.subject).toContain('Acme Notes');
});

test('only user keys that exist are true positives; revoked ones stay revoked and cause no second mail', async () => {
  const { user, userKey, keyId } = await newKey();
  await report([userKey]);
  const { revokedAt } = await prisma().userKey.findUniqueOrThrow({ where: { id: keyId } });
  const tokens = [
    userKey,
    newUserKey(),
    `${userKey.slice(0, -1)}${userKey.endsWith('a') ? 'b' : 'a'}`,
    partner.publishableKey,
    'svc_st_x',
    'whsec_x',
    '',
    'x'.repeat(10_000),
    userKey,
  ];
  const { verdicts } = await report(tokens);
  expect(verdicts.map(({ label }) => label === 'true_positive')).toEqual(
    tokens.map((token) => token === userKey),
  );
  expect((await prisma().userKey.findUniqueOrThrow({ where: { id: keyId } })).revokedAt).toEqual(revokedAt);
  await sendMails('key');
  expect(mailsTo(user.email)).toHaveLength(1);
});

test('the same key reported in parallel is revoked once, with one event and one mail', async () => {
  const { user, userKey, keyId } = await newKey();
  const answers = await Promise.all(Array.from({ length: 12 }, () => report([userKey, userKey])));
  expect(answers.every(({ verdicts }) => verdicts.every(({ label }) => label === 'true_positive'))).toBe(
    true,
  );
  await Promise.all([sendMails('key'), sendMails('key'), sendMails('key')]);
  expect(mailsTo(user.email)).toHaveLength(1);
  const events = (await recordedEvents(partner.id)).filter(({ data }) => data.key_id === keyId);
  expect(events.filter(({ type }) => type === 'user_key.revoked')).toHaveLength(1);
});

test('a report without a right signature revokes nothing @attack', async () => {
  const { userKey, keyId } = await newKey();
  const body = JSON.stringify([reportOf(userKey)]);
  const right = signed(scanner, body);
  const stranger = newScanner('scanner-1');
  const otherCurve = newScanner('scanner-1', 'secp384r1');
  const signature = right['github-public-key-signature'];
  const wrong: Record<string, string>[] = [
    {},
    { 'github-public-key-identifier': scanner.identifier },
    { 'github-public-key-signature': signature },
    { ...right, 'github-public-key-signature': '' },
    { ...right, 'github-public-key-signature': 'x' },
    { ...right, 'github-public-key-signature': Buffer.alloc(70).toString('base64') },
    { ...right, 'github-public-key-signature': `A${signature.slice(1)}` },
    { ...right, 'github-public-key-identifier': 'scanner-2' },
    { ...right, 'github-public-key-identifier': '__proto__' },
    signed(stranger, body),
    signed(otherCurve, body),
    signed(scanner, `${body} `),
    signed(scanner, body.toLowerCase()),
  ];
  for (const headers of wrong) {
    const { status, text } = await send(body, headers);
    expect([status, text]).toEqual([401, expect.stringContaining('invalid_signature')]);
  }
  expect(await isLive(keyId)).toBe(true);
  expect((await send(body)).status).toBe(200);
  expect(await isLive(keyId)).toBe(false);
});

test('a report is bounded: 1,000 tokens, 1 MB, and JSON of the documented form @attack', async () => {
  const many = Array.from({ length: 1_000 }, () => reportOf(newUserKey()));
  const { userKey, keyId } = await newKey();
  const full = await send(JSON.stringify([...many.slice(1), reportOf(userKey)]));
  expect([full.status, full.verdicts.at(-1)?.label]).toEqual([200, 'true_positive']);
  expect(await isLive(keyId)).toBe(false);
  const refused: [string, number][] = [
    [JSON.stringify([...many, reportOf(userKey)]), 400],
    [JSON.stringify(many).padEnd(1024 * 1024 + 1), 413],
    ['{}', 400],
    ['[', 400],
    ['', 400],
    ['[1]', 400],
    ['[{"token": 1, "type": "x"}]', 400],
    [`[{"token": "x", "type": "${'x'.repeat(201)}"}]`, 400],
    ['['.repeat(100_000), 400],
  ];
  for (const [body, status] of refused)
    expect([body.slice(0, 40), (await send(body)).status]).toEqual([body.slice(0, 40), status]);
  expect((await send('[]')).verdicts).toEqual([]);
  expect((await send('[{"token":"x","type":"y","url":null,"more":1}]')).verdicts[0]?.label).toBe(
    'false_positive',
  );
});

test('each client IP has its own limit @attack', async () => {
  const from = (ip: string) => send('[]', {}, ip);
  const answers = await Promise.all(Array.from({ length: 610 }, () => from('192.0.2.3')));
  expect(answers.filter(({ status }) => status === 429)).toHaveLength(10);
  expect(answers.find(({ status }) => status === 429)?.headers.get('retry-after')).toMatch(/^\d+$/);
  expect((await from('192.0.2.4')).status).toBe(401);
}, 30_000);

test('the list of public keys is read once an hour, and again for a new key at most once a minute', async () => {
  let time = Date.now() + 2 * HOUR_MS;
  setClock(() => time);
  try {
    listReads = 0;
    await Promise.all(Array.from({ length: 10 }, () => send('[]')));
    expect(listReads).toBe(1);
    const next = newScanner('scanner-next');
    for (let i = 0; i < 5; i++) expect((await send('[]', signed(next, '[]'))).status).toBe(401);
    expect(listReads).toBe(1);
    listed = listOf(scanner, next);
    time += MINUTE_MS;
    expect((await send('[]', signed(next, '[]'))).status).toBe(200);
    expect(listReads).toBe(2);

    // Unavailable: known keys still count, and reports by unknown ones have to be sent again.
    listStatus = 500;
    time += HOUR_MS;
    expect((await send('[]')).status).toBe(200);
    const unknown = await send('[]', signed(newScanner('scanner-x'), '[]'));
    expect([unknown.status, unknown.headers.get('retry-after')]).toEqual([503, '60']);
    expect(listReads).toBe(3);
    listStatus = 200;
    listed = { public_keys: 'none' };
    time += MINUTE_MS;
    expect((await send('[]', signed(newScanner('scanner-x'), '[]'))).status).toBe(503);
    listed = listOf(scanner);
    time += MINUTE_MS;
    expect((await send('[]', signed(next, '[]'))).status).toBe(401);
    expect((await send('[]')).status).toBe(200);
  } finally {
    setClock();
    listed = listOf(scanner);
    listStatus = 200;
  }
});

async function revoke(userKey: string, ip = '192.0.2.9') {
  const headers = { authorization: `Bearer ${userKey}`, 'x-forwarded-for': ip };
  const response = await fetch(`${url}/v1/keys/revoke`, { method: 'POST', headers });
  return { status: response.status, body: (await response.json()) as object };
}

test('anyone who holds a key revokes it, once, wherever it is restricted to and though its app is disabled', async () => {
  const { user, userKey, keyId } = await newKey();
  await restrictKey(user.userId, keyId, { networks: '203.0.113.7', origins: 'https://app.example.com' });
  const answers = await Promise.all(Array.from({ length: 5 }, () => revoke(userKey)));
  expect(answers.filter(({ status }) => status === 200)).toEqual([
    { status: 200, body: { key_id: keyId, revoked: true } },
  ]);
  expect(answers.filter(({ status }) => status === 401)).toHaveLength(4);
  expect(await isLive(keyId)).toBe(false);
  const events = (await recordedEvents(partner.id)).filter(({ data }) => data.key_id === keyId);
  expect(events.map(({ data }) => data.reason)).toContain('holder_revoked');

  const disabled = await newPartner();
  const owner = await newAppUser(disabled.id);
  const key = await mint(owner);
  await disablePartner(disabled.id);
  expect((await revoke(key.userKey)).status).toBe(200);
  expect((await revoke(newUserKey())).status).toBe(401);
  expect((await revoke(partner.publishableKey)).status).toBe(401);
});

test('guessing keys to revoke is limited per client IP @attack', async () => {
  const answers = await Promise.all(Array.from({ length: 65 }, () => revoke(newUserKey(), '192.0.2.10')));
  expect(answers.filter(({ status }) => status === 429)).toHaveLength(5);
});

// Last of the requests: a refused connection with an unread body is closed.
test('an unsigned flood is refused before its body is read @attack', async () => {
  const answers = await Promise.all(
    Array.from({ length: 40 }, () => send('x'.repeat(2_000_000), {}, '192.0.2.2')),
  );
  // Not 413: the length was never looked at.
  expect(new Set(answers.map(({ status }) => status))).toEqual(new Set([401]));
});

test('no key and no e-mail address is in the log @attack', () => {
  expect(logged.join('')).not.toMatch(/svc_sk_[0-9A-Za-z]|@example\.com|usr_[0-9A-Za-z]/);
});
