import { createOpenAI } from '@ai-sdk/openai';
import { generateImage } from 'ai';
import OpenAI, { toFile } from 'openai';
import { describe, expect, test } from 'vitest';
import { pool } from '@/server/base/db';
import type { Json } from '@/server/gateway/protocols/neutral';
import { newPerson, type Person } from '../../harness/people';
import { startClientWorld } from './world';

const { url, person, upstream } = await startClientWorld({ more: ['XAI'] });

const MODEL = 'openai/gpt-image-2';
const NAME = 'gpt-image-2';
const GROK = 'xai/grok-imagine-image';
/** A pixel, as a provider sends it. */
const PIXEL =
  'iVBORw0KGgoAAAANSUhEUgAAAAEAAAABCAYAAAAfFcSJAAAADUlEQVR42mNk+M9QDwADhgGAWjR9awAAAABJRU5ErkJggg==';
const IMAGE_URL = `data:image/png;base64,${PIXEL}`;

const usage = { input_tokens: 9, output_tokens: 196, total_tokens: 205 };
const details = { text_tokens: 9, image_tokens: 0 };
const list = (more: Json = {}, count = 1) => ({
  body: {
    created: 1_764_374_400,
    data: Array.from({ length: count }, () => ({ b64_json: PIXEL })),
    usage: { ...usage, input_tokens_details: details },
    ...more,
  },
});

const client = new OpenAI({ apiKey: person.userKey, baseURL: `${url}/v1`, maxRetries: 0 });
const send = (body: object, { userKey }: Person = person, path = 'generations', headers = {}) =>
  fetch(`${url}/v1/images/${path}`, {
    method: 'POST',
    headers: { authorization: `Bearer ${userKey}`, 'content-type': 'application/json', ...headers },
    body: JSON.stringify({ model: MODEL, prompt: 'A lighthouse', ...body }),
  });

async function receiptOf({ userId }: Person) {
  const { rows } = await pool().query(
    `SELECT model, input_tokens, output_tokens, input_units, output_units, provider_cost, charge, held, estimated, outcome
     FROM usage WHERE user_id = $1 ORDER BY created_at DESC LIMIT 1`,
    [userId],
  );
  return rows[0];
}

/** $5, $8 and $30 per million tokens are 500, 800 and 3,000 microcredits a token. */
const costOf = (text: number, imageIn: number, imageOut: number): bigint =>
  BigInt(500 * text + 800 * imageIn + 3_000 * imageOut);

describe('images', () => {
  test('reach the OpenAI SDK and the AI SDK', async () => {
    upstream.script(NAME, list());
    const { data, usage: reported } = await client.images.generate({
      model: MODEL,
      prompt: 'A lighthouse',
      quality: 'low',
      size: '1024x1024',
      user: 'someone@example.com',
    });
    expect(data).toEqual([{ b64_json: PIXEL }]);
    expect(reported).toMatchObject({ ...usage, cost: expect.any(Number) });
    const { user, ...rest } = upstream.lastBody(NAME);
    expect(rest).toEqual({ model: NAME, prompt: 'A lighthouse', quality: 'low', size: '1024x1024' });
    expect(user).toMatch(/^[\w-]{20,64}$/);

    const provider = createOpenAI({ apiKey: person.userKey, baseURL: `${url}/v1` });
    const { image } = await generateImage({ model: provider.image(MODEL), prompt: 'A lighthouse' });
    expect(image.base64).toBe(PIXEL);
  });

  test('are charged by the tokens of text and images, with a receipt that lists them', async () => {
    const buyer = await newPerson({ credits: 1_000, rateBp: 2_500 });
    upstream.script(NAME, list());
    const response = await send({ quality: 'low' }, buyer);
    const cost = costOf(9, 0, 196);
    expect(response.headers.get('x-svc-credits-charged')).toBe(String((Number(cost) * 1.25) / 1e6));
    expect(await receiptOf(buyer)).toMatchObject({
      model: MODEL,
      input_tokens: 9,
      output_tokens: 0,
      input_units: null,
      output_units: 196,
      provider_cost: cost,
      charge: (cost * 5n) / 4n,
      estimated: false,
      outcome: 'completed',
    });
    const id = response.headers.get('x-request-id');
    const headers = { authorization: `Bearer ${buyer.userKey}` };
    const receipt = await (await fetch(`${url}/v1/credits/receipts/${id}`, { headers })).json();
    expect(receipt).toMatchObject({ input_units: 0, output_units: 196, price_version: expect.any(String) });
  });

  test.each([
    ['low', '1024x1024', 196],
    ['medium', '1024x1024', 1_757],
    ['high', '1024x1024', 7_025],
    ['auto', undefined, 7_025],
    ['high', '1536x1024', 5_492],
    ['high', '3840x2160', 13_344],
  ])('of quality %s and size %s hold the most tokens of that', async (quality, size, tokens) => {
    const buyer = await newPerson({ credits: 1_000, rateBp: 0 });
    upstream.script(NAME, list());
    await send({ quality, size }, buyer);
    const { held } = await receiptOf(buyer);
    // The text of the prompt is a few tokens.
    expect(held).toBeGreaterThanOrEqual(costOf(0, 0, tokens - 4));
    expect(held).toBeLessThan(costOf(40, 0, tokens + 4));
  });

  test('are never charged beyond the hold, whatever the provider reports', async () => {
    const buyer = await newPerson({ credits: 1_000, rateBp: 0 });
    upstream.script(NAME, list({ usage: { ...usage, output_tokens: 90_000_000 } }));
    await send({ quality: 'low' }, buyer);
    const { held, charge } = await receiptOf(buyer);
    expect(charge).toBe(held);
  });

  test('have no address of their provider', async () => {
    const url = 'https://provider.example/account/1.png';
    upstream.script(NAME, list({ data: [{ b64_json: PIXEL, url, revised_prompt: 'A red lighthouse' }] }));
    const { data } = await (await send({ quality: 'low' })).json();
    expect(data).toEqual([{ b64_json: PIXEL, revised_prompt: 'A red lighthouse' }]);
  });

  test('that a provider reports no tokens of are charged for the most that they can have', async () => {
    const buyer = await newPerson({ credits: 1_000, rateBp: 0 });
    upstream.script(NAME, list({ usage: undefined }));
    await send({ quality: 'low' }, buyer);
    expect(await receiptOf(buyer)).toMatchObject({ output_units: 196, estimated: true });
  });

  test('whose prompt was revised to the name of a field are JSON @attack', async () => {
    const data = [{ b64_json: PIXEL, revised_prompt: 'usage' }];
    upstream.script(NAME, { body: { created: 1, usage, data } });
    const response = await (await send({ quality: 'low' })).json();
    expect(response).toEqual({ created: 1, usage: { ...usage, cost: expect.any(Number) }, data });
  });

  test('with one price are charged by their number, at the cost that the provider reports', async () => {
    const buyer = await newPerson({ credits: 1_000, rateBp: 0 });
    upstream.script(
      'grok-imagine-image',
      list({ usage: undefined }, 2),
      list({ usage: { cost_in_usd_ticks: 150_000_000 } }),
    );
    const response = await send({ model: GROK, n: 2, size: '1024x1024', aspect_ratio: '16:9' }, buyer);
    expect(upstream.lastBody('grok-imagine-image')).toEqual({
      model: 'grok-imagine-image',
      prompt: 'A lighthouse',
      n: 2,
      aspect_ratio: '16:9',
      response_format: 'b64_json',
      user: expect.any(String),
    });
    expect(response.headers.get('x-svc-warnings')).toBe('size was dropped');
    expect((await response.json()).usage).toEqual({ cost: 0.04 });
    expect(await receiptOf(buyer)).toMatchObject({
      output_units: 2,
      provider_cost: 4_000_000n,
      estimated: false,
    });
    const { usage: told } = await (await send({ model: GROK }, buyer)).json();
    expect(told).toEqual({ cost: 0.015 });
  });
});

describe('an edit', () => {
  const images = [{ image_url: IMAGE_URL }, { image_url: 'https://example.com/boat.png' }];

  test('is charged by the tokens of its images too', async () => {
    const buyer = await newPerson({ credits: 1_000, rateBp: 0 });
    const edited = {
      ...usage,
      input_tokens: 2_009,
      input_tokens_details: { text_tokens: 9, image_tokens: 2_000 },
    };
    upstream.script(NAME, list({ usage: edited }));
    const response = await send(
      { images, mask: { image_url: IMAGE_URL }, quality: 'low', input_fidelity: 'high' },
      buyer,
      'edits',
    );
    expect(response.status).toBe(200);
    expect(upstream.seen(NAME)[0]?.path).toBe('/v1/images/edits');
    expect(upstream.lastBody(NAME)).toMatchObject({ images, mask: { image_url: IMAGE_URL } });
    const receipt = await receiptOf(buyer);
    expect(receipt).toMatchObject({
      input_tokens: 9,
      input_units: 2_000,
      provider_cost: costOf(9, 2_000, 196),
    });
    expect(receipt.held).toBeGreaterThanOrEqual(costOf(9, 3 * 1_536, 196));
  });

  test('of files reaches the OpenAI SDK, and its provider as a form', async () => {
    upstream.script(NAME, list());
    const file = (name: string) => toFile(Buffer.from(PIXEL, 'base64'), name, { type: 'image/png' });
    const image = [await file('lighthouse.png'), await file('boat.png')];
    const { data } = await client.images.edit({
      model: MODEL,
      prompt: 'Add a boat',
      quality: 'low',
      n: 1,
      image,
      mask: await file('mask.png'),
    });
    expect(data).toEqual([{ b64_json: PIXEL }]);
    const { headers, body } = upstream.seen(NAME)[0] ?? {};
    expect(headers?.['content-type']).toMatch(/^multipart\/form-data; boundary=/);
    const form = String(body?.form);
    expect([...form.matchAll(/name="(.+?)"(?:; filename="(.+?)")?/g)].map(([, ...names]) => names)).toEqual([
      ['model', undefined],
      ['prompt', undefined],
      ['quality', undefined],
      ['n', undefined],
      ['image[]', 'lighthouse.png'],
      ['image[]', 'boat.png'],
      ['mask', 'mask.png'],
      ['size', undefined],
      ['user', undefined],
    ]);
    const receipt = await receiptOf(person);
    expect(receipt.held).toBeGreaterThanOrEqual(costOf(9, 3 * 1_536, 196));
  });

  const pixel = new Blob([Buffer.from(PIXEL, 'base64')]);

  test.each<[string, Record<string, string | Blob>, string]>([
    ['text in place of an image', { image: 'lighthouse' }, 'image'],
    ['a mask alone', { mask: new Blob(['x']) }, 'images'],
    ['a number that is none', { image: new Blob(['x']), n: 'two' }, 'n'],
    ['a prompt that is a file', { image: new Blob(['x']), prompt: new Blob(['x']) }, 'prompt'],
    ['a file that is no image', { image: new Blob(['%PDF-1.7'], { type: 'image/png' }) }, 'image'],
    ['a mask that is no image', { image: pixel, mask: new Blob(['x']) }, 'mask'],
  ])('of a form with %s is refused', async (_, parts, param) => {
    const form = new FormData();
    for (const [name, value] of Object.entries({ model: MODEL, prompt: 'A boat', ...parts }))
      form.append(name, value);
    const response = await fetch(`${url}/v1/images/edits`, {
      method: 'POST',
      headers: { authorization: `Bearer ${person.userKey}` },
      body: form,
    });
    const { error } = await response.json();
    expect([response.status, error.param]).toEqual([400, param]);
  });

  test.each<[string, object, string]>([
    ['no images', { images: undefined }, 'images'],
    ['an uploaded file', { images: [{ file_id: 'file_1' }] }, 'images.0.image_url'],
    [
      'an address without encryption',
      { images: [{ image_url: 'http://10.0.0.1/a.png' }] },
      'images.0.image_url',
    ],
    ...[
      'https://127.0.0.1/a.png',
      'https://metadata.google.internal/a',
      'https://a@10.0.0.1/',
      'data:image/png;base64,JVBERi0xLjQ=',
      'data:image/svg+xml,<svg/>',
    ].flatMap<[string, object, string]>((image_url) => [
      [`${image_url} as its image`, { images: [...images, { image_url }] }, 'images.2.image_url'],
      [`${image_url} as its mask`, { mask: { image_url } }, 'mask.image_url'],
    ]),
    ['files that are none', { image: [] }, 'image'],
    ['too many images', { images: Array(17).fill(images[0]) }, 'images'],
    ['a model that makes images only', { model: GROK, images }, 'model'],
  ])('with %s is refused', async (_, wrong, param) => {
    const { error } = await (await send({ images, ...wrong }, person, 'edits')).json();
    expect(error).toMatchObject({ type: 'invalid_request', param });
  });
});

describe('a stream of an image', () => {
  const partial = { type: 'image_generation.partial_image', partial_image_index: 0, b64_json: PIXEL };
  const completed = { type: 'image_generation.completed', b64_json: PIXEL, usage };

  test('reaches the OpenAI SDK, and ends with its cost', async () => {
    upstream.script(NAME, { events: [partial, completed] });
    const stream = await client.images.generate({
      model: MODEL,
      prompt: 'A lighthouse',
      quality: 'low',
      stream: true,
      partial_images: 1,
    });
    const events = [];
    for await (const event of stream) events.push(event);
    expect(events).toMatchObject([partial, { ...completed, usage: { ...usage, cost: expect.any(Number) } }]);
    expect(await receiptOf(person)).toMatchObject({ output_units: 196, outcome: 'completed' });
  });

  test('has no events but those of images', async () => {
    const forged = { ...partial, type: 'x\ndata: {"error":{}}' };
    upstream.script(NAME, { events: [forged, { type: 'ping' }, partial, completed, 'data: [DONE]'] });
    const text = await (await send({ stream: true, partial_images: 1 })).text();
    expect([...text.matchAll(/^event: (.*)$/gm)].map(([, name]) => name)).toEqual([
      'image_generation.partial_image',
      'image_generation.completed',
    ]);
    expect(text).not.toContain('error');
  });

  test.each<[string, Json[], boolean]>([
    ['breaks off', [partial], true],
    ['ends early', [partial], false],
    ['reports an error', [partial, { type: 'error', error: { message: 'no', code: 'server_error' } }], false],
  ])('that %s costs the user no image, and its loss is recorded', async (_, events, breaksOff) => {
    const buyer = await newPerson({ credits: 1_000, rateBp: 0 });
    upstream.script(NAME, { events, breaksOff });
    const text = await (await send({ stream: true, partial_images: 1 }, buyer)).text();
    expect(text).toContain('"error"');
    expect(await receiptOf(buyer)).toMatchObject({ output_units: null, outcome: 'failed' });
    const { rows } = await pool().query('SELECT cost FROM provider_loss WHERE user_id = $1', [buyer.userId]);
    expect(rows.length).toBe(1);
  });
});

describe('a request for images', () => {
  test('that the provider refuses costs nothing', async () => {
    const buyer = await newPerson({ credits: 1_000, rateBp: 0 });
    const error = { message: 'Your request was rejected by the safety system.', code: 'moderation_blocked' };
    upstream.script(NAME, { status: 400, body: { error } });
    const response = await send({}, buyer);
    expect(response.status).toBe(400);
    expect(await receiptOf(buyer)).toBeUndefined();
  });

  test.each<[string, object]>([
    ['no images', { data: [] }],
    ['an empty image', { data: [{ b64_json: '' }] }],
    ['addresses of its own', { data: [{ url: 'https://provider.example/account/1.png' }] }],
  ])('that is answered with %s costs nothing', async (_, answer) => {
    const buyer = await newPerson({ credits: 1_000, rateBp: 0 });
    upstream.script(NAME, { body: { created: 1, usage: undefined, ...answer } });
    const response = await send({}, buyer);
    expect(response.status).toBe(502);
    expect(await response.text()).not.toContain('provider.example');
    expect(await receiptOf(buyer)).toBeUndefined();
  });

  test('is answered again for the same Idempotency-Key, and charged once', async () => {
    const buyer = await newPerson({ credits: 1_000, rateBp: 0 });
    upstream.script(NAME, list());
    const headers = { 'idempotency-key': 'picture-1' };
    const first = await (await send({}, buyer, 'generations', headers)).text();
    expect(await (await send({}, buyer, 'generations', headers)).text()).toBe(first);
    expect(upstream.seen(NAME)).toHaveLength(1);
  });

  test('is refused before it is sent if the user cannot pay for the most that it may cost', async () => {
    const poor = await newPerson({ credits: 20, rateBp: 0 });
    upstream.script(NAME, list());
    expect((await send({ quality: 'high' }, poor)).status).toBe(402);
    expect((await send({ quality: 'low' }, poor)).status).toBe(200);
    expect(upstream.seen(NAME)).toHaveLength(1);
  });

  test.each<[string, object, string, string]>([
    ['no prompt', { prompt: '' }, 'prompt', 'is required'],
    ['too many images', { n: 11 }, 'n', 'must be at most 10'],
    ['more pixels than can be relayed', { n: 10, size: '3840x2160' }, 'n', '16 megapixels'],
    ['several images in a stream', { n: 2, stream: true }, 'n', 'must be 1 in a stream'],
    ['a size that no image has', { size: '1000x1000' }, 'size', 'multiples of 16'],
    ['a size of another kind', { size: 'large' }, 'size', 'such as 1024x1024'],
    ['another quality', { quality: 'ultra' }, 'quality', '`low`'],
    ['a model that chats', { model: 'openai/gpt-4.1-mini' }, 'model', 'is a language model'],
    ['a stream of a model without', { model: GROK, stream: true }, 'model', 'does not stream'],
  ])('with %s is refused', async (_, wrong, param, reason) => {
    const response = await send(wrong);
    const { error } = await response.json();
    expect([response.status, error.param]).toEqual([400, param]);
    expect(error.message).toContain(reason);
  });

  test('names what does not reach the provider', async () => {
    upstream.script(NAME, list());
    const response = await send({ response_format: 'url', style: 'vivid', size: 'auto' });
    expect(response.headers.get('x-svc-warnings')).toBe(
      'style was dropped; response_format was dropped: images are returned as b64_json; size was set to 1024x1024',
    );
    expect(upstream.lastBody(NAME)).toEqual({
      model: NAME,
      prompt: 'A lighthouse',
      size: '1024x1024',
      user: expect.any(String),
    });
  });

  test('has a quote', async () => {
    const body = {
      endpoint: '/v1/images/generations',
      request: { model: MODEL, prompt: 'A lighthouse', quality: 'low' },
    };
    const response = await fetch(`${url}/v1/credits/quote`, {
      method: 'POST',
      headers: { authorization: `Bearer ${person.userKey}`, 'content-type': 'application/json' },
      body: JSON.stringify(body),
    });
    expect(await response.json()).toMatchObject({
      model: MODEL,
      maximum: expect.any(Number),
      basis: { output_units: 196 },
    });
  });
});

test('an image model is listed with its units', async () => {
  const { data } = (await (await fetch(`${url}/v1/models`)).json()) as { data: Json[] };
  expect(data.find(({ id }) => id === MODEL)).toMatchObject({
    type: 'image',
    architecture: { modality: 'text+image->image', output_modalities: ['image'] },
    pricing: {
      input: 5,
      input_unit: { kind: 'image_token', usd: '0.000008' },
      output_unit: { kind: 'image_token', usd: '0.00003' },
    },
  });
  expect(data.find(({ id }) => id === GROK)).toMatchObject({
    pricing: { output_unit: { kind: 'image', usd: '0.02' } },
  });
});
