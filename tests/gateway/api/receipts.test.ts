import { describe, expect, test } from 'vitest';
import { inTransaction, pool } from '@/server/base/db';
import { createPartner } from '@/server/partners/partner';
import { openAppUser } from '@/server/people/app-users';
import { mintUserKey } from '@/server/people/keys/mint';
import { API_ROUTES } from '@/server/process/api-routes';
import { newDatabase } from '../../harness';
import { startApi } from '../../harness/api-server';
import { newPerson, type Person } from '../../harness/people';

await newDatabase();
const { url, provider } = await startApi();

const send = (person: { userKey: string }, path: string, body?: object, method = body ? 'POST' : 'GET') =>
  fetch(`${url}${path}`, {
    method,
    headers: { authorization: `Bearer ${person.userKey}` },
    ...(body && { body: JSON.stringify(body) }),
  });
const MESSAGES = [{ role: 'user', content: 'Tell me of the sea' }];

async function generate(person: Person, options: object = {}): Promise<string> {
  const response = await send(person, '/v1/chat/completions', {
    model: 'sandbox/echo',
    messages: MESSAGES,
    ...options,
  });
  await response.text();
  return response.headers.get('x-request-id') ?? '';
}

const readReceipt = (person: { userKey: string }, id: string) => send(person, `/v1/credits/receipts/${id}`);

describe('a receipt', () => {
  test('shows what was metered, priced, held and charged, and does not identify the user', async () => {
    const person = await newPerson({ credits: 100, rateBp: 2500 });
    const id = await generate(person);
    const receipt = await (await readReceipt(person, id)).json();
    expect(receipt).toEqual({
      request_id: id,
      created_at: expect.stringMatching(/^\d{4}-/),
      key_id: null,
      label: null,
      model: 'sandbox/echo',
      provider: 'sandbox',
      price_version: expect.any(String),
      outcome: 'completed',
      attempts: null,
      data_rules: [],
      estimated: false,
      input_tokens: expect.any(Number),
      cached_input_tokens: expect.any(Number),
      cache_write_tokens: 0,
      cache_write_1h_tokens: 0,
      output_tokens: expect.any(Number),
      reasoning_tokens: 0,
      web_searches: 0,
      input_units: 0,
      output_units: 0,
      held_credits: expect.any(Number),
      provider_credits: expect.any(Number),
      commission_credits: expect.any(Number),
      overrun_credits: 0,
      charged_credits: expect.any(Number),
      corrections: [],
      proof: {
        receipt: expect.any(String),
        price: expect.any(String),
        inclusion: null,
        statement: null,
      },
    });
    const { charged_credits, provider_credits, commission_credits, held_credits } = receipt;
    expect(charged_credits).toBeCloseTo(provider_credits + commission_credits, 6);
    expect(charged_credits).toBeGreaterThan(0);
    expect(held_credits).toBeGreaterThan(charged_credits);
    expect(JSON.stringify(receipt)).not.toContain(person.userId);
  });

  test('shows the overrun loss of a request that cost more than its hold', async () => {
    const person = await newPerson({ credits: 100 });
    const receipt = await (
      await readReceipt(person, await generate(person, { model: 'sandbox/big-usage' }))
    ).json();
    expect(receipt.charged_credits).toBe(receipt.held_credits);
    expect(receipt.overrun_credits).toBeGreaterThan(0);
  });

  test('is visible only to the app and user of its request', async () => {
    const person = await newPerson({ credits: 100 });
    const id = await generate(person);
    const elsewhere = await createPartner({ name: 'Another app', rateBp: 0, origins: [] });
    const sameUser = await inTransaction(async (tx) => {
      const owner = { userId: person.userId, partnerId: elsewhere.id };
      await openAppUser(tx, owner);
      return mintUserKey(tx, { ...owner, session: null });
    });
    for (const stranger of [await newPerson(), sameUser])
      expect((await readReceipt(stranger, id)).status).toBe(404);
    expect((await readReceipt({ userKey: '' }, id)).status).toBe(401);
    expect((await readReceipt(person, id)).status).toBe(200);
  });

  test('adds up with all others to the ledger’s total', async () => {
    const person = await newPerson({ credits: 100 });
    const ids = await Promise.all(
      ['echo', 'story', 'no-usage', 'big-usage', 'cut', 'error-500'].map((name) =>
        generate(person, { model: `sandbox/${name}`, stream: name !== 'big-usage', max_tokens: 40 }),
      ),
    );
    let sum = 0;
    for (const id of ids) {
      const receipt = await readReceipt(person, id);
      if (receipt.ok) sum += Math.round((await receipt.json()).charged_credits * 1e6);
    }
    const { rows } = await pool().query<{ money: bigint }>('SELECT money FROM wallet WHERE user_id = $1', [
      person.userId,
    ]);
    expect(sum).toBeGreaterThan(0);
    expect(100_000_000n - (rows[0]?.money ?? 0n)).toBe(BigInt(sum));
  });
});

test('no route calls a provider when the balance is empty', async () => {
  const readRequestLog = async () =>
    (await (await fetch(provider.url.replace('/v1', '/__sandbox/requests'))).text()).length;
  const broke = await newPerson();
  const before = await readRequestLog();
  const body = { model: 'sandbox/echo', max_tokens: 10, messages: MESSAGES };
  const statuses: Record<string, number> = {};
  for (const [pattern, route] of Object.entries(API_ROUTES)) {
    const path = pattern.replace(/\[[^\]]+\]/, 'x');
    // It would end the key that the others need.
    if (path === '/v1/keys/revoke') continue;
    if ('POST' in route) statuses[path] = (await send(broke, path, body)).status;
    if ('GET' in route) await send(broke, path);
  }
  expect(statuses).toMatchObject({ '/v1/chat/completions': 402, '/v1/messages': 402 });
  expect(await readRequestLog()).toBe(before);
});
