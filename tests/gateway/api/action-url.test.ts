import { afterEach, expect, test } from 'vitest';
import { HOUR_MS, now, setClock } from '@/server/base/clock';
import { wholeCredits } from '@/server/base/credits';
import { inTransaction, prisma } from '@/server/base/db';
import { settings } from '@/server/base/env';
import { newId } from '@/server/base/ids';
import { seal } from '@/server/base/seal';
import { ALL_APPS, grantCredits, OUTSIDE_ANY_APP, openUserApp, stopSpending } from '@/server/ledger';
import { findActionPlace } from '@/server/people/open-action-link';
import { startApi } from '../../harness/api-server';
import { newDatabase } from '../../harness/database';
import { newPerson, type Person } from '../../harness/people';

/** The address in a 402, where the user resolves it. */

await newDatabase();
const { url } = await startApi();
afterEach(() => setClock());

const WHOLE: Record<string, string> = {
  '/v1/embeddings': 'sandbox/embed',
  '/v1/rerank': 'sandbox/rerank',
  '/v1/ocr': 'sandbox/ocr',
};
const FORMATS = ['/v1/chat/completions', '/v1/messages', '/v1/responses', ...Object.keys(WHOLE)];

async function refuse({ userKey }: Person, path = '/v1/chat/completions', more: object = {}) {
  const body = {
    model: WHOLE[path] ?? 'sandbox/echo',
    max_tokens: 20,
    input: 'hi',
    messages: [{ role: 'user', content: 'hi' }],
    query: 'hi',
    documents: ['hi'],
    document: { type: 'image_url', image_url: 'https://example.com/a.png' },
    ...more,
  };
  const headers = { authorization: `Bearer ${userKey}`, 'content-type': 'application/json' };
  const response = await fetch(url + path, { method: 'POST', headers, body: JSON.stringify(body) });
  const { error } = (await response.json()) as { error: Record<string, string> };
  expect(response.status).toBe(402);
  return { type: error.type ?? '', message: error.message ?? '', address: error.action_url ?? '' };
}

const tokenOf = (address: string): string => new URL(address).searchParams.get('token') ?? '';
const placeOf = (address: string, { userId }: Person) => findActionPlace(tokenOf(address), userId);

async function giveElsewhere({ userId }: Person): Promise<void> {
  await inTransaction(async (tx) => {
    await openUserApp(tx, { userId, partnerId: OUTSIDE_ANY_APP, appUserId: newId('au') });
    const gift = { userId, partnerId: OUTSIDE_ANY_APP, credits: wholeCredits(50) };
    await grantCredits(tx, { ...gift, grantId: newId('req'), note: 'a gift' });
  });
}

test.each(FORMATS)(
  'a 402 of %s names where its user buys credits for the app, also in its message',
  async (path) => {
    const person = await newPerson();
    for (const more of [{}, ...(path in WHOLE ? [] : [{ stream: true }])]) {
      const { type, message, address } = await refuse(person, path, more);
      expect(type).toBe('insufficient_credits');
      expect(address).toMatch(new RegExp(`^${settings().BASE_URL}/continue\\?token=[\\w-]+$`));
      expect(message.endsWith(` ${address}`)).toBe(true);
      expect(await placeOf(address, person)).toEqual({ path: `/account/buy?app=${person.partnerId}` });
    }
  },
);

test('a user with credits elsewhere is led to the app’s allowance, and one who stopped apps to where they resume them', async () => {
  const person = await newPerson();
  await giveElsewhere(person);
  const notPermitted = await refuse(person);
  expect(notPermitted.type).toBe('partner_not_permitted');
  const ofApp = { path: `/account/apps/${person.partnerId}` };
  expect(await placeOf(notPermitted.address, person)).toEqual(ofApp);
  const stop = (partnerId: string) =>
    inTransaction((tx) => stopSpending(tx, { userId: person.userId, partnerId }));
  await stop(person.partnerId);
  expect(await placeOf((await refuse(person)).address, person)).toEqual(ofApp);
  await stop(ALL_APPS);
  expect(await placeOf((await refuse(person)).address, person)).toEqual({ path: '/account/limits' });
});

test('it contains no key and no id, and is different each time @attack', async () => {
  const person = await newPerson();
  const { hash } = await prisma().userKey.findUniqueOrThrow({ where: { id: person.keyId } });
  const [first, second] = [await refuse(person), await refuse(person)];
  expect(first.address).not.toBe(second.address);
  const shown = Buffer.from(tokenOf(first.address), 'base64url').toString('latin1') + first.address;
  const key = Buffer.from(hash);
  for (const secret of [
    person.userKey,
    person.keyId,
    person.userId,
    person.partnerId,
    key.toString('latin1'),
    key.toString('base64url'),
    key.toString('hex'),
  ])
    expect(shown).not.toContain(secret);
});

test('it leads nobody but the user of its key to that app @attack', async () => {
  const [person, other] = [await newPerson(), await newPerson()];
  const { address } = await refuse(person);
  expect(await placeOf(address, other)).toBe('other_account');
});

test('it works for an hour, and not if it was changed or made for another purpose @attack', async () => {
  const person = await newPerson();
  const token = tokenOf((await refuse(person)).address);
  const { hash } = await prisma().userKey.findUniqueOrThrow({ where: { id: person.keyId } });
  const content = `buy.${(now() + HOUR_MS).toString(36)}.${Buffer.from(hash).toString('base64url')}`;
  const foreign = Buffer.from(seal(content, 'stop-link')).toString('base64url');
  const changed = `${token.slice(0, 60)}${token[60] === 'A' ? 'B' : 'A'}${token.slice(61)}`;
  for (const wrong of ['', 'x', foreign, changed, `${token}A`, token.slice(0, -4), person.userKey])
    expect(await findActionPlace(wrong, person.userId)).toBeNull();
  const start = now();
  setClock(() => start + HOUR_MS - 60_000);
  expect(await findActionPlace(token, person.userId)).not.toBeNull();
  setClock(() => start + HOUR_MS + 60_000);
  expect(await findActionPlace(token, person.userId)).toBeNull();
});
