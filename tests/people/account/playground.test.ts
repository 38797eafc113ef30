import { spawn } from 'node:child_process';
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import path from 'node:path';
import { afterAll, expect, test } from 'vitest';
import { writeSamples } from '@/app/(account)/account/(skeleton)/playground/code-samples';
import { HOUR_MS, now, setClock } from '@/server/base/clock';
import { creditsToJson, wholeCredits } from '@/server/base/credits';
import { inTransaction, prisma } from '@/server/base/db';
import { newId } from '@/server/base/ids';
import { setAllowance } from '@/server/payments/checkout/allowance';
import { findAppOfUser } from '@/server/people/apps-of-user';
import { logOutDevice } from '@/server/people/devices';
import {
  mintPlaygroundKey,
  openPlayground,
  PLAYGROUND_ID,
  readPlaygroundBalance,
} from '@/server/people/playground';
import { openSession } from '@/server/people/sessions';
import { startApi } from '../../harness/api-server';
import { newDatabase } from '../../harness/database';
import { newPerson } from '../../harness/people';

/** The playground spends what its user allows, with a key that ends. */

await newDatabase();
const api = await startApi();
const folder = mkdtempSync(path.resolve('.build/playground-'));
afterAll(() => rmSync(folder, { recursive: true }));

async function startPlayground(credits: number) {
  const nowMs = now();
  setClock(() => nowMs);
  const { userId } = await newPerson({ credits: 100 });
  const session = await inTransaction((tx) => openSession(tx, { userId, userAgent: 'Test' }));
  await openPlayground(userId);
  const save = { userId, partnerId: PLAYGROUND_ID, saveId: newId('req') };
  if (credits > 0) await setAllowance(save, wholeCredits(credits));
  const started = await mintPlaygroundKey(userId, session.sessionId);
  setClock();
  return { userId, sessionId: session.sessionId, userKey: started?.userKey ?? '' };
}

const ask = (userKey: string, body: object = {}) =>
  fetch(`${api.url}/v1/chat/completions`, {
    method: 'POST',
    headers: { authorization: `Bearer ${userKey}`, 'content-type': 'application/json' },
    body: JSON.stringify({
      model: 'sandbox/echo',
      max_tokens: 50,
      messages: [{ role: 'user', content: 'Hello' }],
      ...body,
    }),
  });

test('the playground spends only what the user allows it, without a commission', async () => {
  const without = await startPlayground(0);
  const refused = await ask(without.userKey);
  expect(refused.status).toBe(402);
  expect(await refused.json()).toMatchObject({
    error: { type: 'partner_not_permitted', action_url: expect.stringContaining('/continue?token=') },
  });
  expect(await readPlaygroundBalance(without.userId)).toBe(0n);

  const { userId, userKey } = await startPlayground(5);
  expect(creditsToJson(await readPlaygroundBalance(userId))).toBe(5);
  expect((await ask(userKey)).status).toBe(200);
  const receipt = await prisma().ledgerTransaction.findFirstOrThrow({ where: { userId, kind: 'usage' } });
  expect(receipt).toMatchObject({ partnerId: PLAYGROUND_ID, rateBp: 0, partnerShare: 0n });
});

test('a playground that the operator has disabled opens for nobody', async () => {
  const { userId } = await newPerson();
  const of = { where: { id: PLAYGROUND_ID } };
  await prisma().partner.update({ ...of, data: { disabledAt: new Date(now()) } });
  expect(await openPlayground(userId)).toBe(false);
  expect(await prisma().userApp.count({ where: { userId, partnerId: PLAYGROUND_ID } })).toBe(0);
  await prisma().partner.update({ ...of, data: { disabledAt: null } });
  expect(await openPlayground(userId)).toBe(true);
});

test('its key ends after twelve hours, and with the session of the device', async () => {
  const { userKey } = await startPlayground(5);
  const [key] = await prisma().userKey.findMany({
    where: { partnerId: PLAYGROUND_ID },
    orderBy: { createdAt: 'desc' },
  });
  expect(key?.expiresAt?.getTime()).toBe((key?.createdAt.getTime() ?? 0) + 12 * HOUR_MS);

  const other = await startPlayground(5);
  await logOutDevice(other.userId, other.sessionId);
  expect((await ask(other.userKey)).status).toBe(401);
  expect((await ask(userKey)).status).toBe(200);
  expect(await mintPlaygroundKey(other.userId, other.sessionId)).toBeNull();
});

test('its key is no longer listed among the keys of the user once it has ended', async () => {
  const { userId } = await startPlayground(5);
  const keysNow = async () => (await findAppOfUser(userId, PLAYGROUND_ID))?.keys.length;
  expect(await keysNow()).toBe(1);
  const later = now() + 12 * HOUR_MS;
  setClock(() => later);
  expect(await keysNow()).toBe(0);
  setClock();
});

const MESSAGES = [
  { role: 'system', content: "Answer in “quotes” and '''apostrophes''' with `ticks` and \u0024{braces}." },
  { role: 'user', content: 'END\nFirst \\ line' },
  { role: 'assistant', content: 'Yes?' },
  { role: 'user', content: 'Say "it\'s fine"\u2028and </script>' },
] as const;

const SAMPLES = writeSamples({ apiUrl: api.url, model: 'sandbox/echo', messages: MESSAGES });

test.each(SAMPLES.filter(({ language }) => language === 'js'))(
  'the code for $name sends the conversation and prints the answer',
  async ({ code }) => {
    const { userKey } = await startPlayground(5);
    const file = path.join(folder, `${newId('req')}.mjs`);
    writeFileSync(file, code);
    const program = spawn(process.execPath, [file], { env: { ...process.env, SVC_USER_KEY: userKey } });
    let output = '';
    for (const stream of [program.stdout, program.stderr])
      stream.on('data', (chunk) => {
        output += chunk;
      });
    await new Promise((resolve) => program.once('close', resolve));
    expect(output.trim()).toContain('it\'s fine"\u2028and </script>');
  },
);

test('the code for curl and for Python contains the conversation as it is', async () => {
  const codeOf = (language: string) => SAMPLES.find((sample) => sample.language === language)?.code ?? '';
  const [, body = ''] = /<<'END'\n([\s\S]*?)\nEND$/.exec(codeOf('sh')) ?? [];
  expect(JSON.parse(body)).toEqual({ model: 'sandbox/echo', messages: MESSAGES });
  const [, messages = ''] = /r'''([\s\S]*?)'''\)/.exec(codeOf('python')) ?? [];
  expect(JSON.parse(messages)).toEqual(MESSAGES);
});
