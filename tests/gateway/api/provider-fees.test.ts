import { describe, expect, test } from 'vitest';
import { pool } from '@/server/base/db';
import { findCatalogModel } from '@/server/gateway/pricing/catalog';
import type { Json } from '@/server/gateway/protocols/neutral';
import { checkLedger, readSpendable } from '@/server/ledger';
import { startApi } from '../../harness/api-server';
import { newDatabase } from '../../harness/database';
import { newPerson, type Person } from '../../harness/people';
import { completion } from '../../harness/scripted-responses';
import { type Reply, startScriptedUpstream } from '../../harness/scripted-upstream';

/** What a provider bills beyond its tokens is in the hold and on the receipt, or is ruled out by the request. */

const GROK = 'xai/grok-4.3';
const ROUTED = 'openrouter/amazon/nova-2-lite-v1';
const FEE = 5;
const RATE = 1.25;

await newDatabase();
const upstream = await startScriptedUpstream();
for (const vendor of ['XAI', 'OPENROUTER']) {
  process.env[`${vendor}_API_KEY`] = 'key-of-the-operator';
  process.env[`${vendor}_BASE_URL`] = `${upstream.url}/v1`;
}
const api = await startApi();

const nameOf = (id: string): string => findCatalogModel(id)?.upstreamModel ?? '';

async function send({ userKey }: Person, id: string, reply: Reply, fields: Json = {}) {
  upstream.script(nameOf(id), reply);
  const response = await fetch(`${api.url}/v1/chat/completions`, {
    method: 'POST',
    headers: { authorization: `Bearer ${userKey}`, 'content-type': 'application/json' },
    body: JSON.stringify({
      model: id,
      max_tokens: 50,
      messages: [{ role: 'user', content: 'Hi' }],
      ...fields,
    }),
  });
  const { error } = JSON.parse((await response.text()).replace(/^data: .*$/gms, '{}')) as {
    error?: { type: string; message: string };
  };
  const requestId = response.headers.get('x-request-id') ?? '';
  return { status: response.status, error, requestId, calls: upstream.seen(nameOf(id)) };
}

const readReceipt = async ({ userKey }: Person, requestId: string) => {
  const response = await fetch(`${api.url}/v1/credits/receipts/${requestId}`, {
    headers: { authorization: `Bearer ${userKey}` },
  });
  return { status: response.status, receipt: await response.json() };
};

const balanceOf = async ({ userId, partnerId }: Person): Promise<number> =>
  Number((await readSpendable(userId, partnerId)).balance) / 1e6;

/** As xAI words it; a missing permission has the same status and code. */
const forbid = (message: string): Reply => ({
  status: 403,
  body: { code: 'The caller does not have permission to execute the specified operation', error: message },
});
const VIOLATION = forbid(
  'Content violates usage guidelines. Team: t-1, API key ID: k-1, Model: grok-4.3, Failed check: SAFETY_CHECK_TYPE_BIO',
);

describe('content that xAI refuses', () => {
  test.each([false, true])('is charged at the fee, and the receipt says so (stream: %s)', async (stream) => {
    const person = await newPerson({ credits: 100 });
    const { status, error, requestId, calls } = await send(person, GROK, VIOLATION, { stream });

    expect([status, error?.type, calls.length]).toEqual([400, 'content_refused', 1]);
    expect(error?.message).not.toMatch(/t-1|k-1/);
    expect(await balanceOf(person)).toBe(100 - FEE * RATE);
    expect((await readReceipt(person, requestId)).receipt).toMatchObject({
      model: GROK,
      provider: 'xai',
      outcome: 'refused',
      estimated: false,
      input_tokens: 0,
      output_tokens: 0,
      held_credits: FEE * RATE,
      provider_credits: FEE,
      commission_credits: FEE * RATE - FEE,
      overrun_credits: 0,
      charged_credits: FEE * RATE,
    });
  });

  test('is held for before the provider is called', async () => {
    const poor = await newPerson({ credits: Math.floor(FEE * RATE) });
    const refused = await send(poor, GROK, VIOLATION);
    expect([refused.status, refused.error?.type, refused.calls.length]).toEqual([
      402,
      'insufficient_credits',
      0,
    ]);
  });

  test('is not confused with a missing permission of ours, which costs nothing', async () => {
    const person = await newPerson({ credits: 100 });
    const { status, error, requestId } = await send(
      person,
      GROK,
      forbid('Access to the chat endpoint is denied'),
    );
    expect([status, error?.type]).toEqual([502, 'upstream_error']);
    expect(await balanceOf(person)).toBe(100);
    expect((await readReceipt(person, requestId)).status).toBe(404);
  });

  test('costs nothing at a provider that bills nothing for it', async () => {
    const person = await newPerson({ credits: 100 });
    const { status, error } = await send(person, ROUTED, VIOLATION);
    expect([status, error?.type]).toEqual([400, 'content_refused']);
    expect(await balanceOf(person)).toBe(100);
  });

  test('leaves the ledger without a difference and without an overrun', async () => {
    expect((await checkLedger()).differences).toEqual([]);
    const { rows } = await pool().query(`SELECT 1 FROM ledger_entry WHERE account = 'overrun_loss'`);
    expect(rows).toEqual([]);
  });
});

test.each([[{ max_tokens: 50 }], [{ max_completion_tokens: 50, max_tokens: undefined }]])(
  'the output limit of xAI includes reasoning, whatever name the client uses: %j',
  async (fields) => {
    const person = await newPerson({ credits: 100 });
    for (const id of [GROK, 'xai/grok-4.20-0309-non-reasoning']) {
      const { calls } = await send(person, id, completion({ content: 'Hello' }), fields);
      expect(calls[0]?.body).toMatchObject({ max_completion_tokens: 50 });
      expect(calls[0]?.body).not.toHaveProperty('max_tokens');
    }
  },
);

describe('OpenRouter', () => {
  test('serves a request only up to the prices of its hold', async () => {
    const person = await newPerson({ credits: 100 });
    const { calls } = await send(person, ROUTED, completion({ content: 'Hello' }));
    const { listPrices } = findCatalogModel(ROUTED) ?? {};
    expect(calls[0]?.body.provider).toEqual({
      max_price: { prompt: Number(listPrices?.input), completion: Number(listPrices?.output), request: 0 },
    });
    expect(calls[0]?.body).not.toHaveProperty('plugins');
  });

  test('reports a price above these as an error that names the model, without a charge or a cooldown', async () => {
    const person = await newPerson({ credits: 100 });
    const refusal: Reply = {
      status: 404,
      body: { error: { message: 'No endpoints found that match your max price.', code: 404 } },
    };
    for (let i = 0; i < 6; i++) {
      const { status, error, calls } = await send(person, ROUTED, refusal);
      expect([status, error?.type, calls.length]).toEqual([502, 'upstream_error', 1]);
      expect(error?.message).toBe(
        'No provider offers this model at its listed price and with these parameters',
      );
    }
    expect(await balanceOf(person)).toBe(100);
    expect((await send(person, ROUTED, completion({ content: 'Hello' }))).status).toBe(200);
  });

  test.each(['chat', 'messages'])('reads a PDF without the service that costs extra (%s)', async (format) => {
    const person = await newPerson({ credits: 100 });
    const data = Buffer.from('%PDF-1.4\n1 0 obj<</Type/Page>>endobj').toString('base64');
    const part =
      format === 'chat'
        ? { type: 'file', file: { filename: 'a.pdf', file_data: `data:application/pdf;base64,${data}` } }
        : { type: 'document', source: { type: 'base64', media_type: 'application/pdf', data } };
    upstream.script(nameOf(ROUTED), completion({ content: 'Hello' }));
    const response = await fetch(`${api.url}/v1/${format === 'chat' ? 'chat/completions' : 'messages'}`, {
      method: 'POST',
      headers: { authorization: `Bearer ${person.userKey}`, 'content-type': 'application/json' },
      body: JSON.stringify({ model: ROUTED, max_tokens: 50, messages: [{ role: 'user', content: [part] }] }),
    });
    expect(response.status).toBe(200);
    expect(upstream.lastBody(nameOf(ROUTED)).plugins).toEqual([
      { id: 'file-parser', pdf: { engine: 'native' } },
    ]);
  });
});
