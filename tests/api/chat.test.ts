import { connect } from 'node:net';
import { text } from 'node:stream/consumers';
import OpenAI from 'openai';
import { describe, expect, test } from 'vitest';
import { prisma } from '@/server/db';
import { checkLedger, readHistory, readSpendable } from '@/server/ledger';
import { startApi } from '../harness/api-server';
import { newDatabase } from '../harness/database';
import { newPerson, type Person } from '../harness/people';
import { until } from '../harness/until';

process.env.LIMIT_RUNNING_PER_USER = '3';
await newDatabase();
const api = await startApi();

const clientOf = (person: Person) =>
  new OpenAI({ apiKey: person.userKey, baseURL: `${api.url}/v1`, maxRetries: 0 });
const ask = (model: string, content = 'Tell me of the sea') => ({
  model,
  messages: [{ role: 'user' as const, content }],
});

/** Sends a raw body, as a client library would not. */
function post(body: string, headers: Record<string, string> = {}): Promise<Response> {
  return fetch(`${api.url}/v1/chat/completions`, {
    method: 'POST',
    headers: { 'content-type': 'application/json', ...headers },
    body,
  });
}

async function refusal(
  response: Response,
): Promise<{ status: number; type: string; param: string | null; code: string }> {
  const { error } = await response.json();
  return { status: response.status, type: error.type, param: error.param, code: error.code };
}

const usageOf = async (person: Person) => {
  const { entries } = await readHistory(
    { userId: person.userId, partnerId: person.partnerId },
    { limit: 10, offset: 0 },
  );
  return entries.filter((entry) => entry.type === 'usage');
};

const balanceOf = async (person: Person) => (await readSpendable(person.userId, person.partnerId)).balance;

describe('a whole answer', () => {
  test('is the provider’s, under the name that was asked for, and costs exactly tokens × price × (1 + rate)', async () => {
    const person = await newPerson({ credits: 100, rateBp: 2500 });
    const { data, response } = await clientOf(person)
      .chat.completions.create(ask('sandbox/echo'))
      .withResponse();

    expect(data.model).toBe('sandbox/echo');
    expect(data.choices[0]?.message.content).toBe('Tell me of the sea');
    // 0.15 and 0.60 USD per million tokens are 15 and 60 microcredits a token.
    const { prompt_tokens, completion_tokens } = data.usage ?? { prompt_tokens: 0, completion_tokens: 0 };
    const cost = prompt_tokens * 15 + completion_tokens * 60;
    const charge = Math.ceil((cost * 12_500) / 10_000);
    expect(Number(response.headers.get('x-svc-credits-charged'))).toBe(charge / 1e6);
    expect(await balanceOf(person)).toBe(100_000_000n - BigInt(charge));
    expect((await usageOf(person))[0]).toMatchObject({
      credits: -BigInt(charge),
      usage: { providerCost: BigInt(cost), charge: BigInt(charge), model: 'sandbox/echo', estimated: false },
    });
  });

  test('charges cached input at its own price', async () => {
    const person = await newPerson({ credits: 100, rateBp: 0 });
    const long = ask('sandbox/echo', `${person.keyId} ${'words and more words '.repeat(60)}`);
    await clientOf(person).chat.completions.create(long);
    const { usage } = await clientOf(person).chat.completions.create(long);

    const cached = usage?.prompt_tokens_details?.cached_tokens ?? 0;
    expect(cached).toBeGreaterThan(0);
    const [latest] = await usageOf(person);
    expect(latest?.usage).toMatchObject({
      cacheReadTokens: cached,
      inputTokens: (usage?.prompt_tokens ?? 0) - cached,
    });
    const cost =
      ((usage?.prompt_tokens ?? 0) - cached) * 15 + cached * 7.5 + (usage?.completion_tokens ?? 0) * 60;
    expect(latest?.credits).toBe(-BigInt(Math.ceil(cost)));
  });

  test('carries a request id under both names, and readable by pages of any origin', async () => {
    const person = await newPerson({ credits: 100 });
    const { response } = await clientOf(person).chat.completions.create(ask('sandbox/echo')).withResponse();

    expect(response.headers.get('x-request-id')).toMatch(/^req_\w{22}$/);
    expect(response.headers.get('request-id')).toBe(response.headers.get('x-request-id'));
    expect(response.headers.get('access-control-allow-origin')).toBe('*');
  });

  test('passes what we do not know of through in both directions', async () => {
    const person = await newPerson({ credits: 100 });
    const tool = {
      type: 'function' as const,
      function: { name: 'weather', parameters: { type: 'object', properties: { city: { type: 'string' } } } },
    };
    const answer = await clientOf(person).chat.completions.create({
      ...ask('sandbox/tool', 'Zürich'),
      tools: [tool],
      seed: 7,
    });

    expect(answer.choices[0]?.message.tool_calls?.[0]).toMatchObject({
      function: { name: 'weather', arguments: '{"city":"Zürich"}' },
    });
    const requests = await fetch(api.provider.url.replace('/v1', '/__sandbox/requests')).then((sent) =>
      sent.json(),
    );
    expect(JSON.stringify(requests)).toContain('"seed":7');
  });
});

describe('a streamed answer', () => {
  test('arrives in pieces under the name asked for, without a usage chunk nobody asked for', async () => {
    const person = await newPerson({ credits: 100 });
    const pieces: string[] = [];
    for await (const chunk of await clientOf(person).chat.completions.create({
      ...ask('sandbox/echo'),
      stream: true,
    })) {
      expect(chunk.model).toBe('sandbox/echo');
      expect(chunk.choices).toHaveLength(1);
      pieces.push(chunk.choices[0]?.delta.content ?? '');
    }

    expect(pieces.join('')).toBe('Tell me of the sea');
    expect(pieces.filter((piece) => piece !== '').length).toBeGreaterThan(1);
    expect(await usageOf(person)).toHaveLength(1);
  });

  test('has been charged by the time it ends, usage chunk included when asked for', async () => {
    const person = await newPerson({ credits: 100, rateBp: 1000 });
    const stream = await clientOf(person).chat.completions.create({
      ...ask('sandbox/echo'),
      stream: true,
      stream_options: { include_usage: true },
    });
    let usage: OpenAI.CompletionUsage | null | undefined;
    for await (const chunk of stream) usage = chunk.usage ?? usage;

    const cost = (usage?.prompt_tokens ?? 0) * 15 + (usage?.completion_tokens ?? 0) * 60;
    expect(await balanceOf(person)).toBe(100_000_000n - BigInt(Math.ceil(cost * 1.1)));
  });

  test('survives characters and lines that are split anywhere', async () => {
    const person = await newPerson({ credits: 100 });
    let text = '';
    for await (const chunk of await clientOf(person).chat.completions.create({
      ...ask('sandbox/split-utf8'),
      stream: true,
    })) {
      text += chunk.choices[0]?.delta.content ?? '';
    }
    expect(text).toBe('Grüße aus Zürich, 世界! Une fenêtre, 🌍🚀 und ein Gruß an 日本語.');
  });

  test('ends well when the provider forgets its [DONE]', async () => {
    const person = await newPerson({ credits: 100 });
    const text = await post(JSON.stringify({ ...ask('sandbox/no-done'), stream: true }), bearer(person)).then(
      (r) => r.text(),
    );
    expect(text.endsWith('data: [DONE]\n\n')).toBe(true);
    expect(text).not.toContain('"error"');
  });

  test.each(['sandbox/cut', 'sandbox/error-mid-stream'])(
    'tells a broken answer of %s as an error and charges what was produced',
    async (model) => {
      const person = await newPerson({ credits: 100 });
      const text = await post(JSON.stringify({ ...ask(model), stream: true }), bearer(person)).then((r) =>
        r.text(),
      );

      expect(text).toMatch(
        /data: \{"error":\{"message":"[^"]+","type":"upstream_error","param":null,"code":"502"\}\}\n\n$/,
      );
      expect(text).not.toContain('[DONE]');
      const [usage] = await usageOf(person);
      expect(usage?.credits).toBeLessThan(0n);
    },
  );

  test('a client that leaves ends the provider’s work and pays for what was produced', async () => {
    const person = await newPerson({ credits: 100 });
    const stream = await clientOf(person).chat.completions.create({ ...ask('sandbox/stall'), stream: true });
    for await (const chunk of stream) if (chunk.choices[0]?.delta.content) break;
    stream.controller.abort();

    const [usage] = await until(
      () => usageOf(person),
      (entries) => entries.length === 1,
    );
    expect(usage?.usage?.estimated).toBe(true);
    expect(usage?.credits).toBeLessThan(0n);
    expect(await openHolds(person)).toBe(0);
  });
});

describe('usage that is missing or impossible', () => {
  test.each([false, true])('missing usage is estimated and said to be (stream: %s)', async (stream) => {
    const person = await newPerson({ credits: 100 });
    await post(JSON.stringify({ ...ask('sandbox/no-usage'), stream }), bearer(person)).then((r) => r.text());

    const [usage] = await usageOf(person);
    expect(usage?.usage?.estimated).toBe(true);
    expect(usage?.credits).toBeLessThan(0n);
  });

  test('a provider that reports more than was held costs the user the hold at most', async () => {
    const person = await newPerson({ credits: 2, rateBp: 0 });
    await clientOf(person).chat.completions.create({ ...ask('sandbox/big-usage'), max_tokens: 10 });

    const spent = 2_000_000n - (await balanceOf(person));
    expect(spent).toBeGreaterThan(0n);
    // 10 tokens at 60 microcredits, and an input of far less than a hundred tokens.
    expect(spent).toBeLessThan(10n * 60n + 100n * 15n);
    expect((await checkLedger()).differences).toEqual([]);
  });
});

describe('what is lowered', () => {
  test('the output limit shrinks to what the balance affords, and the answer says so', async () => {
    const person = await newPerson({ credits: 1, rateBp: 0 });
    const { response } = await clientOf(person)
      .chat.completions.create({ ...ask('sandbox/story'), max_tokens: 16_384 })
      .withResponse();

    // One credit pays for 1,250 tokens at 8 USD per million.
    const cap = Number(response.headers.get('x-svc-output-cap'));
    expect(cap).toBeGreaterThan(1_000);
    expect(cap).toBeLessThan(1_250);
  });

  test('a limit above the model’s own is lowered to it, and the answer says so', async () => {
    const person = await newPerson({ credits: 10_000 });
    const { response } = await clientOf(person)
      .chat.completions.create({ ...ask('sandbox/echo'), max_tokens: 10_000_000 })
      .withResponse();
    const { data } = (await (await fetch(`${api.url}/v1/models`)).json()) as {
      data: { id: string; max_tokens: number }[];
    };
    const model = data.find(({ id }) => id === 'sandbox/echo');
    expect(response.headers.get('x-svc-output-cap')).toBe(String(model?.max_tokens));
  });

  test('nothing is said of a limit that was kept, or left to us', async () => {
    const person = await newPerson({ credits: 10_000 });
    for (const max_tokens of [100, null]) {
      const { response } = await clientOf(person)
        .chat.completions.create({ ...ask('sandbox/echo'), max_tokens })
        .withResponse();
      expect(response.headers.get('x-svc-output-cap')).toBeNull();
    }
  });
});

describe('refusals, in the chat shape', () => {
  const body = JSON.stringify(ask('sandbox/echo'));

  test('no key: 401 missing_api_key', async () => {
    expect(await refusal(await post(body))).toEqual({
      status: 401,
      type: 'missing_api_key',
      param: null,
      code: '401',
    });
  });

  test.each(['svc_sk_wrong', 'sk-something', 'svc_pk_000000000000000000000000000000abcdef'])(
    'a wrong key %s: 401 invalid_user_key, whatever else is wrong',
    async (key) => {
      for (const bad of [body, '{not json', JSON.stringify(ask('no/model'))]) {
        expect(await refusal(await post(bad, { authorization: `Bearer ${key}` }))).toMatchObject({
          status: 401,
          type: 'invalid_user_key',
        });
      }
    },
  );

  test('a revoked key: 401 on the very next request', async () => {
    const person = await newPerson({ credits: 10 });
    await post(body, bearer(person));
    await prisma().userKey.update({ where: { id: person.keyId }, data: { revokedAt: new Date(0) } });
    expect(await refusal(await post(body, bearer(person)))).toMatchObject({
      status: 401,
      type: 'invalid_user_key',
    });
  });

  test('a disabled app: 403 until it is enabled again', async () => {
    const person = await newPerson({ credits: 10 });
    const setDisabled = (disabledAt: Date | null) =>
      prisma().partner.update({ where: { id: person.partnerId }, data: { disabledAt } });
    await setDisabled(new Date(0));
    expect(await refusal(await post(body, bearer(person)))).toMatchObject({
      status: 403,
      type: 'partner_disabled',
    });
    await setDisabled(null);
    expect((await post(body, bearer(person))).status).toBe(200);
  });

  test('malformed JSON and missing fields: 400 naming the field', async () => {
    const person = await newPerson({ credits: 10 });
    const cases: [string, string | null][] = [
      ['{not json', null],
      ['[]', null],
      ['{}', 'model'],
      ['{"model":"sandbox/echo"}', 'messages'],
      ['{"model":"sandbox/echo","messages":[]}', 'messages'],
      ['{"model":"sandbox/echo","messages":[{"role":"user","content":"x"}],"max_tokens":0}', 'max_tokens'],
      ['{"model":"sandbox/echo","messages":[{"role":"user","content":"x"}],"stream":"yes"}', 'stream'],
    ];
    for (const [bad, param] of cases) {
      expect(await refusal(await post(bad, bearer(person)))).toEqual({
        status: 400,
        type: 'invalid_request',
        param,
        code: '400',
      });
    }
  });

  test('a body that is no UTF-8: 400, never letters replaced', async () => {
    const person = await newPerson({ credits: 10 });
    const latin = Buffer.from(JSON.stringify(ask('sandbox/echo', 'Grüße')), 'latin1');
    const chunked = new Blob([latin]).stream();
    for (const body of [latin, chunked]) {
      const response = await fetch(`${api.url}/v1/chat/completions`, {
        method: 'POST',
        headers: { 'content-type': 'application/json', ...bearer(person) },
        body,
        duplex: 'half',
      } as RequestInit);
      expect(response.status).toBe(400);
      expect(await response.json()).toMatchObject({
        error: {
          type: 'invalid_request',
          message: 'The request body must be uncompressed, valid UTF-8.',
        },
      });
    }
  });

  test('another method: 404 that names the one there is', async () => {
    const response = await fetch(`${api.url}/v1/chat/completions`);
    expect(response.status).toBe(404);
    expect(await response.json()).toMatchObject({
      error: { type: 'not_found', message: 'This URL only accepts POST' },
    });
  });

  test('a request without a host: 400, and no error of ours', async () => {
    const socket = connect(Number(new URL(api.url).port), '127.0.0.1');
    socket.end('GET /v1/models HTTP/1.0\r\n\r\n');
    expect(await text(socket)).toMatch(/^HTTP\/1\.1 400 .*"type":"invalid_request"/s);
  });

  test('an unknown model: 404, and no retry', async () => {
    const person = await newPerson({ credits: 10 });
    const response = await post(JSON.stringify(ask('openai/never-made')), bearer(person));
    expect(response.headers.get('x-should-retry')).toBe('false');
    expect(await refusal(response)).toEqual({
      status: 404,
      type: 'model_not_found',
      param: 'model',
      code: '404',
    });
  });

  test('a model that the app may not use: 403, before the fields are looked at', async () => {
    const person = await newPerson({ credits: 10 });
    await prisma().partner.update({
      where: { id: person.partnerId },
      data: { allModels: false, allowedModels: ['sandbox/story'] },
    });
    for (const bad of [body, '{"model":"sandbox/echo"}']) {
      expect(await refusal(await post(bad, bearer(person)))).toMatchObject({
        status: 403,
        type: 'model_not_allowed',
      });
    }
  });

  test('an empty balance: 402 insufficient_credits, and no retry', async () => {
    const response = await post(body, bearer(await newPerson()));
    expect(response.headers.get('x-should-retry')).toBe('false');
    expect(await refusal(response)).toEqual({
      status: 402,
      type: 'insufficient_credits',
      param: null,
      code: '402',
    });
  });

  test('too many running requests: 429 with Retry-After', async () => {
    const person = await newPerson({ credits: 100 });
    const running = Array.from({ length: 3 }, () =>
      clientOf(person).chat.completions.create({ ...ask('sandbox/stall'), stream: true }),
    );
    const streams = await Promise.all(running);
    const response = await post(body, bearer(person));
    expect(response.headers.get('retry-after')).toBe('1');
    expect(await refusal(response)).toMatchObject({ status: 429, type: 'rate_limited' });
    for (const stream of streams) stream.controller.abort();
    await until(
      () => openHolds(person),
      (open) => open === 0,
    );
  });

  test('JSON that is nested deeper than anything means: 400, not a failure of ours', async () => {
    const person = await newPerson({ credits: 10 });
    const deep = `{"model":"sandbox/echo","messages":[{"role":"user","content":"x"}],"metadata":${'{"a":'.repeat(20_000)}1${'}'.repeat(20_000)}}`;
    expect(await refusal(await post(deep, bearer(person)))).toMatchObject({
      status: 400,
      type: 'invalid_request',
    });
    expect(await openHolds(person)).toBe(0);
  });

  test('a body over 32 MB: 413', async () => {
    const person = await newPerson({ credits: 10 });
    const response = await post(
      JSON.stringify(ask('sandbox/echo', 'x'.repeat(33 * 1024 * 1024))),
      bearer(person),
    );
    expect(await refusal(response)).toMatchObject({ status: 413, type: 'request_too_large' });
  });

  test('an unknown path: 404 in the same shape', async () => {
    expect(await refusal(await fetch(`${api.url}/v1/nothing`))).toMatchObject({
      status: 404,
      type: 'not_found',
    });
  });

  test.each([
    ['sandbox/error-500', 502, 'upstream_error'],
    ['sandbox/error-401', 502, 'upstream_error'],
    ['sandbox/error-in-stream', 502, 'upstream_error'],
    ['sandbox/error-429', 429, 'rate_limited'],
    ['sandbox/error-400', 400, 'invalid_request'],
  ])(
    '%s: a real status %i %s, nothing charged, nothing of the provider’s account told',
    async (model, status, type) => {
      const person = await newPerson({ credits: 10 });
      const response = await post(JSON.stringify({ ...ask(model), stream: true }), bearer(person));
      const text = await response.clone().text();
      expect(await refusal(response)).toMatchObject({ status, type });
      expect(text).not.toMatch(/sk-|api key/i);
      expect(await balanceOf(person)).toBe(10_000_000n);
      expect(await openHolds(person)).toBe(0);
    },
  );
});

test('after all of it the ledger agrees', async () => {
  expect((await checkLedger()).differences).toEqual([]);
});

const bearer = (person: Person) => ({ authorization: `Bearer ${person.userKey}` });
const openHolds = (person: Person) => prisma().hold.count({ where: { userId: person.userId } });
