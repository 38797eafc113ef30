import { afterEach, describe, expect, test } from 'vitest';
import { MINUTE_MS, setClock } from '@/server/base/clock';
import { pool, prisma } from '@/server/base/db';
import { settings } from '@/server/base/env';
import { openSealed, seal } from '@/server/base/seal';
import { runCommand } from '@/server/operator/cli/run';
import { newSealedSecret, revealSecret } from '@/server/partners/webhooks/signing-secret';
import { payeeOf, revealDestination } from '@/server/payments/payouts/payee-details';
import { readRevokeToken, writeRevokeToken } from '@/server/people/keys/revoke-link';
import { noteKeyUse, writeKeyUses } from '@/server/people/keys/uses';
import { findKnownBrowser, rememberBrowser } from '@/server/people/known-browser';
import { newPasskeyChallenge, requireOwnChallenge } from '@/server/people/passkey-challenges';
import { claimSecret, requireOwnSecret } from '@/server/process/own-secret';
import { StartError } from '@/server/process/start-error';
import { openSigner } from '@/server/reports/statements/signing-keys';
import { startApi } from '../../harness/api-server';
import { newDatabase } from '../../harness/database';
import { newPerson, type Person } from '../../harness/people';
import { mint, newAppUser, newPartner, recordedEvents } from './app-world';

const { url } = await newDatabase();
const api = await startApi();

const FIRST = settings().AUTH_SECRET ?? '';
const SECOND = 'the next secret, which replaces the first one';

/** What an instance with these settings has. */
function use(AUTH_SECRET: string, AUTH_SECRET_PREVIOUS?: string): void {
  Object.assign(settings(), { AUTH_SECRET, AUTH_SECRET_PREVIOUS });
}

/** What its start does. */
async function startWith(...secrets: [string, string?]): Promise<void> {
  use(...secrets);
  await claimSecret(url, settings());
}

afterEach(async () => {
  await pool().query('DELETE FROM installation');
  use(FIRST);
});

async function pay({ userKey }: Person): Promise<number> {
  const response = await fetch(`${api.url}/v1/chat/completions`, {
    method: 'POST',
    headers: { authorization: `Bearer ${userKey}`, 'content-type': 'application/json' },
    body: JSON.stringify({
      model: 'sandbox/story',
      max_tokens: 9,
      messages: [{ role: 'user', content: 'Hello' }],
    }),
  });
  await response.text();
  return response.status;
}

async function readBalance({ userKey }: Person): Promise<number> {
  const response = await fetch(`${api.url}/v1/credits/balance`, {
    headers: { authorization: `Bearer ${userKey}` },
  });
  await response.text();
  return response.status;
}

describe('a user key', () => {
  test('works under both secrets, is stored under the new one when it pays, and then needs no other', async () => {
    await startWith(FIRST);
    const person = await newPerson({ credits: 10 });
    use(SECOND);
    expect([await pay(person), await readBalance(person)]).toEqual([401, 401]);

    await startWith(SECOND, FIRST);
    expect([await readBalance(person), await pay(person), await readBalance(person)]).toEqual([
      200, 200, 200,
    ]);
    use(SECOND);
    expect([await pay(person), await readBalance(person)]).toEqual([200, 200]);
  });

  test('works on an instance that still has the first secret, and stays under the new one', async () => {
    await startWith(FIRST);
    const person = await newPerson({ credits: 10 });
    await startWith(SECOND, FIRST);
    expect(await pay(person)).toBe(200);
    use(FIRST, SECOND);
    expect([await pay(person), await readBalance(person)]).toEqual([200, 200]);
    use(SECOND);
    expect(await pay(person)).toBe(200);
  });

  test('that pays on all instances at once as it moves is refused on none', async () => {
    await startWith(FIRST);
    const person = await newPerson({ credits: 100 });
    await startWith(SECOND, FIRST);
    const all = await Promise.all(Array.from({ length: 10 }, () => pay(person)));
    expect(all).toEqual(all.map(() => 200));
  });

  test('that is unknown is refused', async () => {
    await startWith(FIRST);
    const person = await newPerson({ credits: 10 });
    await pool().query('DELETE FROM user_key WHERE user_id = $1', [person.userId]);
    use(SECOND, FIRST);
    expect([await pay(person), await readBalance(person)]).toEqual([401, 401]);
  });
});

test('what the first secret signed is accepted next to the second, and not without it', () => {
  const browser = rememberBrowser(null, 'someone@example.com');
  const token = writeRevokeToken(`key_${'a'.repeat(22)}`);
  const purpose = { act: 'sign in', sessionId: null } as const;
  const clientData = Buffer.from(
    JSON.stringify({ challenge: newPasskeyChallenge(purpose).toString('base64url') }),
  ).toString('base64url');
  const sealed = seal('text', 'row');
  const isAccepted = (read: () => unknown): boolean => {
    try {
      return read() !== null;
    } catch {
      return false;
    }
  };
  const accepted = () =>
    [
      () => findKnownBrowser(browser, 'someone@example.com'),
      () => readRevokeToken(token),
      () => requireOwnChallenge(purpose, clientData),
      () => openSealed(sealed, 'row'),
    ].map(isAccepted);
  use(SECOND, FIRST);
  expect(accepted()).toEqual([true, true, true, true]);
  use(SECOND);
  expect(accepted()).toEqual([false, false, false, false]);
});

test('a passkey is added under the secret that it was begun with, because its account is named by it', () => {
  const purpose = { act: 'add', sessionId: 'ses_1' } as const;
  const challenge = newPasskeyChallenge(purpose).toString('base64url');
  const clientData = Buffer.from(JSON.stringify({ challenge })).toString('base64url');
  expect(requireOwnChallenge(purpose, clientData)).toBe(challenge);
  use(SECOND, FIRST);
  expect(() => requireOwnChallenge(purpose, clientData)).toThrow(/try again/);
});

test('a network that a key was used from is not new under another secret', async () => {
  const person = await newPerson({ credits: 1 });
  const key = await prisma().userKey.findFirstOrThrow({ where: { userId: person.userId } });
  const networks = () => prisma().keyNetwork.count({ where: { keyId: key.id } });
  noteKeyUse(key.id, person.partnerId, '192.0.2.1');
  await writeKeyUses();
  use(SECOND, FIRST);
  // A use is noted again after ten minutes.
  const later = Date.now() + 11 * MINUTE_MS;
  setClock(() => later);
  noteKeyUse(key.id, person.partnerId, '192.0.2.9');
  await writeKeyUses();
  setClock();
  expect(await networks()).toBe(1);
});

test('accounts of one mailbox stay one user for promotions, deleted ones included', async () => {
  const { id: partnerId } = await newPartner();
  await startWith(FIRST);
  const before = await newAppUser(partnerId, undefined, 'same@example.com');
  await startWith(SECOND, FIRST);
  const after = await newAppUser(partnerId, undefined, 'same+2@example.com');
  const hashes = async () =>
    (await prisma().user.findMany({ where: { id: { in: [before.userId, after.userId] } } })).map(
      ({ mailboxHash }) => Buffer.from(mailboxHash ?? []).toString('hex'),
    );
  expect(new Set(await hashes()).size).toBe(1);
  const [old] = await hashes();
  await run('secret', 'reseal');
  expect(new Set(await hashes()).size).toBe(1);
  expect(await hashes()).not.toContain(old);
});

async function run(...words: string[]): Promise<{ code: number; text: string }> {
  let text = '';
  const write = (more: string): void => {
    text += more;
  };
  return { code: await runCommand(words, { out: write, err: write }), text };
}

describe('svc secret reseal', () => {
  test('stores under the new secret what the first one sealed, and counts the keys that still need it', async () => {
    await startWith(FIRST);
    const { id: partnerId } = await newPartner();
    await prisma().partner.update({
      where: { id: partnerId },
      data: { webhookSecret: newSealedSecret(partnerId) },
    });
    const { secret } = (await revealSecret(partnerId)) ?? expect.fail();
    const payee = { teamId: 'tm_1', name: 'Ada', country: 'AT' };
    await prisma().payeeDetails.create({ data: { ...payee, destination: seal('AT61', payeeOf('tm_1')) } });
    await mint(await newAppUser(partnerId));
    const events = await recordedEvents(partnerId);
    const person = await newPerson({ credits: 1 });
    const signed = (await openSigner()).sign('svc-receipt', { charged: 1 });

    await startWith(SECOND, FIRST);
    const { code, text } = await run('secret', 'reseal');
    expect(code).toBe(0);
    expect(text).toMatch(/webhook secrets +1 renewed +0 left/);
    expect(text).toMatch(/accounts of payees +1 renewed +0 left/);
    expect(text).toMatch(/the signing key +1 renewed +0 left/);
    expect(text).toMatch(/user keys +0 renewed +\d+ left/);

    use(SECOND);
    expect((await revealSecret(partnerId))?.secret).toBe(secret);
    expect(await revealDestination('tm_1')).toBe('AT61');
    expect((await openSigner()).sign('svc-receipt', { charged: 1 })).toBe(signed);
    expect(await recordedEvents(partnerId)).toEqual(events);
    expect(events.length).toBeGreaterThan(0);
    expect(await pay(person)).toBe(401);
  });

  test('is refused before an instance has started with the new secret', async () => {
    await startWith(FIRST);
    use(FIRST, SECOND);
    expect((await run('secret', 'reseal')).code).toBe(0);
    use(SECOND, FIRST);
    expect(await run('secret', 'reseal')).toEqual({
      code: 1,
      text: 'Start the service with the new AUTH_SECRET first.\n',
    });
  });
});

describe('a start', () => {
  test('with a secret that is not the one of its database is refused', async () => {
    await startWith(FIRST);
    await startWith(FIRST);
    const error = await startWith(SECOND).catch((thrown: unknown) => thrown);
    expect(error).toBeInstanceOf(StartError);
    expect(String(error)).toMatch(/AUTH_SECRET: expected the secret of this database/);
    await expect(requireOwnSecret(url)).rejects.toThrow(StartError);
  });

  test('with both secrets replaces the first by the second, and the first alone is refused from then on', async () => {
    await startWith(FIRST);
    await startWith(FIRST, SECOND);
    await startWith(SECOND, FIRST);
    await startWith(SECOND);
    await expect(startWith(FIRST)).rejects.toThrow(StartError);
  });
});
