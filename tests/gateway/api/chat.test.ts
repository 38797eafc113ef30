import { connect } from 'node:net';
import { text } from 'node:stream/consumers';
import { gzipSync } from 'node:zlib';
import OpenAI from 'openai';
import { describe, expect, test } from 'vitest';
import { prisma } from '@/server/base/db';
import { checkLedger, readHistory, readSpendable } from '@/server/ledger';
import { startApi } from '../../harness/api-server';
import { newDatabase } from '../../harness/database';
import { newPerson, type Person } from '../../harness/people';
import { until } from '../../harness/until';

process.env.LIMIT_RUNNING_PER_USER = '3';
await newDatabase();
const api = await startApi();

const clientOf = (person: Person) =>
  new OpenAI({ apiKey: person.userKey, baseURL: `${api.url}/v1`, maxRetries: 0 });
const chatBody = (model: string, content = 'Tell me of the sea') => ({
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

describe('a non-streaming response', () => {
  test('is the provider’s, under the requested model id, and costs exactly tokens × price × (1 + rate)', async () => {
    const person = await newPerson({ credits: 100, rateBp: 2500 });
    const { data, response } = await clientOf(person)
      .chat.completions.create(chatBody('sandbox/echo'))
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
    const long = chatBody('sandbox/echo', `${person.keyId} ${'words and more words '.repeat(60)}`);
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

  test('carries the request id in both headers, readable from any origin', async () => {
    const person = await newPerson({ credits: 100 });
    const { response } = await clientOf(person)
      .chat.completions.create(chatBody('sandbox/echo'))
      .withResponse();

    expect(response.headers.get('x-request-id')).toMatch(/^req_\w{22}$/);
    expect(response.headers.get('request-id')).toBe(response.headers.get('x-request-id'));
    expect(response.headers.get('access-control-allow-origin')).toBe('*');
  });

  test('passes unknown fields through in both directions', async () => {
    const person = await newPerson({ credits: 100 });
    const tool = {
      type: 'function' as const,
      function: { name: 'weather', parameters: { type: 'object', properties: { city: { type: 'string' } } } },
    };
    const completion = await clientOf(person).chat.completions.create({
      ...chatBody('sandbox/tool', 'Zürich'),
      tools: [tool],
      seed: 7,
    });

    expect(completion.choices[0]?.message.tool_calls?.[0]).toMatchObject({
      function: { name: 'weather', arguments: '{"city":"Zürich"}' },
    });
    const requests = await fetch(api.provider.url.replace('/v1', '/__sandbox/requests')).then((sent) =>
      sent.json(),
    );
    expect(JSON.stringify(requests)).toContain('"seed":7');
  });
});

describe('a streamed response', () => {
  test('arrives in chunks under the requested model id, with no usage chunk unless requested', async () => {
    const person = await newPerson({ credits: 100 });
    const pieces: string[] = [];
    for await (const chunk of await clientOf(person).chat.completions.create({
      ...chatBody('sandbox/echo'),
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

  test('is charged by the time it ends, and includes a usage chunk on request', async () => {
    const person = await newPerson({ credits: 100, rateBp: 1000 });
    const stream = await clientOf(person).chat.completions.create({
      ...chatBody('sandbox/echo'),
      stream: true,
      stream_options: { include_usage: true },
    });
    let usage: OpenAI.CompletionUsage | null | undefined;
    for await (const chunk of stream) usage = chunk.usage ?? usage;

    const cost = (usage?.prompt_tokens ?? 0) * 15 + (usage?.completion_tokens ?? 0) * 60;
    expect(await balanceOf(person)).toBe(100_000_000n - BigInt(Math.ceil(cost * 1.1)));
  });

  test('reassembles characters and lines that are split anywhere', async () => {
    const person = await newPerson({ credits: 100 });
    let text = '';
    for await (const chunk of await clientOf(person).chat.completions.create({
      ...chatBody('sandbox/split-utf8'),
      stream: true,
    })) {
      text += chunk.choices[0]?.delta.content ?? '';
    }
    expect(text).toBe('Grüße aus Zürich, 世界! Une fenêtre, 🌍🚀 und ein Gruß an 日本語.');
  });

  test('ends correctly when the provider omits [DONE]', async () => {
    const person = await newPerson({ credits: 100 });
    const text = await post(
      JSON.stringify({ ...chatBody('sandbox/no-done'), stream: true }),
      bearer(person),
    ).then((r) => r.text());
    expect(text.endsWith('data: [DONE]\n\n')).toBe(true);
    expect(text).not.toContain('"error"');
  });

  test.each(['sandbox/cut', 'sandbox/error-mid-stream'])(
    'ends in an error when %s breaks off, and what was produced is charged',
    async (model) => {
      const person = await newPerson({ credits: 100 });
      const text = await post(JSON.stringify({ ...chatBody(model), stream: true }), bearer(person)).then(
        (r) => r.text(),
      );

      expect(text).toMatch(
        /data: \{"error":\{"message":"[^"]+","type":"upstream_error","param":null,"code":"502"\}\}\n\n$/,
      );
      expect(text).not.toContain('[DONE]');
      const [usage] = await usageOf(person);
      expect(usage?.credits).toBeLessThan(0n);
    },
  );

  test('is cancelled at the provider after a client disconnect, and what was produced is charged', async () => {
    const person = await newPerson({ credits: 100 });
    const stream = await clientOf(person).chat.completions.create({
      ...chatBody('sandbox/stall'),
      stream: true,
    });
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
  test.each([false, true])(
    'missing usage is estimated and marked as estimated (stream: %s)',
    async (stream) => {
      const person = await newPerson({ credits: 100 });
      await post(JSON.stringify({ ...chatBody('sandbox/no-usage'), stream }), bearer(person)).then((r) =>
        r.text(),
      );

      const [usage] = await usageOf(person);
      expect(usage?.usage?.estimated).toBe(true);
      expect(usage?.credits).toBeLessThan(0n);
    },
  );

  test('usage above the hold costs the user at most the hold', async () => {
    const person = await newPerson({ credits: 2, rateBp: 0 });
    await clientOf(person).chat.completions.create({ ...chatBody('sandbox/big-usage'), max_tokens: 10 });

    const spent = 2_000_000n - (await balanceOf(person));
    expect(spent).toBeGreaterThan(0n);
    // 10 tokens at 60 microcredits, and an input of far less than a hundred tokens.
    expect(spent).toBeLessThan(10n * 60n + 100n * 15n);
    expect((await checkLedger()).differences).toEqual([]);
  });
});

describe('the output limit', () => {
  test('shrinks to what the balance can pay for, and a header reports it', async () => {
    const person = await newPerson({ credits: 1, rateBp: 0 });
    const { response } = await clientOf(person)
      .chat.completions.create({ ...chatBody('sandbox/story'), max_tokens: 16_384 })
      .withResponse();

    // One credit pays for 1,250 tokens at 8 USD per million.
    const cap = Number(response.headers.get('x-svc-output-cap'));
    expect(cap).toBeGreaterThan(1_000);
    expect(cap).toBeLessThan(1_250);
  });

  test('is lowered to the model’s maximum, and a header reports it', async () => {
    const person = await newPerson({ credits: 10_000 });
    const { response } = await clientOf(person)
      .chat.completions.create({ ...chatBody('sandbox/echo'), max_tokens: 10_000_000 })
      .withResponse();
    const { data } = (await (await fetch(`${api.url}/v1/models`)).json()) as {
      data: { id: string; max_tokens: number }[];
    };
    const model = data.find(({ id }) => id === 'sandbox/echo');
    expect(response.headers.get('x-svc-output-cap')).toBe(String(model?.max_tokens));
  });

  test('is not reported when it is kept or not set', async () => {
    const person = await newPerson({ credits: 10_000 });
    for (const max_tokens of [100, null]) {
      const { response } = await clientOf(person)
        .chat.completions.create({ ...chatBody('sandbox/echo'), max_tokens })
        .withResponse();
      expect(response.headers.get('x-svc-output-cap')).toBeNull();
    }
  });
});

describe('refusals in the chat format', () => {
  const body = JSON.stringify(chatBody('sandbox/echo'));

  test('a missing key gets 401 missing_api_key', async () => {
    expect(await refusal(await post(body))).toEqual({
      status: 401,
      type: 'missing_api_key',
      param: null,
      code: '401',
    });
  });

  test.each(['svc_sk_wrong', 'sk-something', 'svc_pk_000000000000000000000000000000abcdef'])(
    'the wrong key %s gets 401 invalid_user_key before any other error',
    async (key) => {
      for (const bad of [body, '{not json', JSON.stringify(chatBody('no/model'))]) {
        expect(await refusal(await post(bad, { authorization: `Bearer ${key}` }))).toMatchObject({
          status: 401,
          type: 'invalid_user_key',
        });
      }
    },
  );

  test('a key without the scheme Bearer gets 401 invalid_user_key, valid or not', async () => {
    const { userKey } = await newPerson({ credits: 10 });
    const basic = (text: string) => `Basic ${Buffer.from(text).toString('base64')}`;
    for (const authorization of [
      userKey,
      `Token ${userKey}`,
      basic(`${userKey}:`),
      basic(`user:${userKey}`),
      'x',
    ]) {
      expect(await refusal(await post(body, { authorization }))).toMatchObject({
        status: 401,
        type: 'invalid_user_key',
      });
    }
    const elsewhere = await post(body, { authorization: basic('proxy:password'), 'x-api-key': userKey });
    expect(elsewhere.status).toBe(200);
  });

  test('a revoked key gets 401 on the next request', async () => {
    const person = await newPerson({ credits: 10 });
    await post(body, bearer(person));
    await prisma().userKey.update({ where: { id: person.keyId }, data: { revokedAt: new Date(0) } });
    expect(await refusal(await post(body, bearer(person)))).toMatchObject({
      status: 401,
      type: 'invalid_user_key',
    });
  });

  test('a disabled app gets 403 until it is enabled again', async () => {
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

  test('malformed JSON and missing fields get 400 that names the field', async () => {
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

  test('a body that is not UTF-8 gets 400, and no character is replaced', async () => {
    const person = await newPerson({ credits: 10 });
    const latin = Buffer.from(JSON.stringify(chatBody('sandbox/echo', 'Grüße')), 'latin1');
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
          message: 'The request body must be valid UTF-8.',
        },
      });
    }
  });

  test('a compressed body is read like any other, and an unknown compression gets 415 with those accepted', async () => {
    const person = await newPerson({ credits: 10 });
    const body = gzipSync(JSON.stringify(chatBody('sandbox/echo', 'Grüße')));
    const send = (encoding: string) =>
      fetch(`${api.url}/v1/chat/completions`, {
        method: 'POST',
        headers: { 'content-type': 'application/json', 'content-encoding': encoding, ...bearer(person) },
        body,
      });
    expect((await send('gzip')).status).toBe(200);
    const refused = await send('compress');
    expect(refused.status).toBe(415);
    expect(refused.headers.get('accept-encoding')).toContain('gzip, deflate, br');
    expect(await refused.json()).toMatchObject({ error: { type: 'unsupported_encoding' } });
  });

  test('another method gets 405 that names the supported method', async () => {
    const response = await fetch(`${api.url}/v1/chat/completions`);
    expect(response.status).toBe(405);
    expect(await response.json()).toMatchObject({
      error: { type: 'method_not_allowed', message: 'This URL only accepts POST.' },
    });
  });

  test('a request without a host gets 400, not an internal error', async () => {
    const socket = connect(Number(new URL(api.url).port), '127.0.0.1');
    socket.end('GET /v1/models HTTP/1.0\r\n\r\n');
    expect(await text(socket)).toMatch(/^HTTP\/1\.1 400 .*"type":"invalid_request"/s);
  });

  test('an unknown model gets 404 without a retry', async () => {
    const person = await newPerson({ credits: 10 });
    const response = await post(JSON.stringify(chatBody('openai/never-made')), bearer(person));
    expect(response.headers.get('x-should-retry')).toBe('false');
    expect(await refusal(response)).toEqual({
      status: 404,
      type: 'model_not_found',
      param: 'model',
      code: '404',
    });
  });

  test('a model that the app may not use gets 403 before the fields are validated', async () => {
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

  test('an empty balance gets 402 insufficient_credits without a retry', async () => {
    const response = await post(body, bearer(await newPerson()));
    expect(response.headers.get('x-should-retry')).toBe('false');
    expect(await refusal(response)).toEqual({
      status: 402,
      type: 'insufficient_credits',
      param: null,
      code: '402',
    });
  });

  test('a balance that is too small for a long request gets 402 with what it needs and what is available', async () => {
    const person = await newPerson({ credits: 5, rateBp: 2_500 });
    const prompt = 'long '.repeat(200_000);
    const response = await post(JSON.stringify(chatBody('sandbox/story', prompt)), bearer(person));
    const { error } = (await response.json()) as { error: { message: string } };
    expect(response.status).toBe(402);
    expect(error.message).toMatch(
      /^Not enough credits for this request: it needs at least \d+(\.\d\d?)? credits, and 5 are available\. Send a shorter one, or /,
    );
    const needed = Number(/least ([\d.]+)/.exec(error.message)?.[1]);
    const other = await newPerson({ credits: Math.ceil(needed), rateBp: 2_500 });
    expect((await post(JSON.stringify(chatBody('sandbox/story', prompt)), bearer(other))).status).toBe(200);
  });

  test('too many concurrent requests get 429 with Retry-After', async () => {
    const person = await newPerson({ credits: 100 });
    const running = Array.from({ length: 3 }, () =>
      clientOf(person).chat.completions.create({ ...chatBody('sandbox/stall'), stream: true }),
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

  test('JSON nested too deeply gets 400, not an internal error', async () => {
    const person = await newPerson({ credits: 10 });
    const deep = `{"model":"sandbox/echo","messages":[{"role":"user","content":"x"}],"metadata":${'{"a":'.repeat(20_000)}1${'}'.repeat(20_000)}}`;
    expect(await refusal(await post(deep, bearer(person)))).toMatchObject({
      status: 400,
      type: 'invalid_request',
    });
    expect(await openHolds(person)).toBe(0);
  });

  test('a body over 32 MB gets 413', async () => {
    const person = await newPerson({ credits: 10 });
    const response = await post(
      JSON.stringify(chatBody('sandbox/echo', 'x'.repeat(33 * 1024 * 1024))),
      bearer(person),
    );
    expect(await refusal(response)).toMatchObject({ status: 413, type: 'request_too_large' });
  });

  test('an unknown path gets 404 in the same format', async () => {
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
    '%s gets status %i %s, is not charged, and reveals nothing of the provider’s account',
    async (model, status, type) => {
      const person = await newPerson({ credits: 10 });
      const response = await post(JSON.stringify({ ...chatBody(model), stream: true }), bearer(person));
      const text = await response.clone().text();
      expect(await refusal(response)).toMatchObject({ status, type });
      expect(text).not.toMatch(/sk-|api key/i);
      expect(await balanceOf(person)).toBe(10_000_000n);
      expect(await openHolds(person)).toBe(0);
    },
  );
});

test('the ledger has no differences after all of these requests', async () => {
  expect((await checkLedger()).differences).toEqual([]);
});

const bearer = (person: Person) => ({ authorization: `Bearer ${person.userKey}` });
const openHolds = (person: Person) => prisma().hold.count({ where: { userId: person.userId } });
