import OpenAI, { toFile } from 'openai';
import { expect, test } from 'vitest';
import { pool } from '@/server/base/db';
import { findCatalogModel } from '@/server/gateway/pricing/catalog';
import { exampleOf } from '@/server/gateway/pricing/unit-example';
import type { Json } from '@/server/gateway/protocols/neutral';
import { newPerson, type Person } from '../../harness/people';
import { startClientWorld } from './world';

/** Images of Google's Interactions API, in OpenAI's format. Shapes and counts are those of recorded responses. */

const { url, person, upstream } = await startClientWorld({ more: ['GOOGLE'] });

const NAME = 'gemini-3.1-flash-lite-image';
const MODEL = `google/${NAME}`;
/** A pixel. */
const PIXEL =
  'iVBORw0KGgoAAAANSUhEUgAAAAEAAAABCAYAAAAfFcSJAAAADUlEQVR42mNk+M9QDwADhgGAWjR9awAAAABJRU5ErkJggg==';
const IMAGE_URL = `data:image/png;base64,${PIXEL}`;

const USAGE = {
  input_tokens_by_modality: [{ modality: 'text', tokens: 28 }],
  output_tokens_by_modality: [{ modality: 'image', tokens: 1_120 }],
  total_cached_tokens: 0,
  total_input_tokens: 28,
  total_output_tokens: 1_131,
  total_thought_tokens: 40,
  total_tokens: 1_199,
  total_tool_use_tokens: 0,
};
const output = (...content: Json[]): Json => ({ type: 'model_output', content });
const IMAGE = { type: 'image', mime_type: 'image/png', data: PIXEL };
const interaction = (more: Json = {}) => ({
  body: {
    id: 'v1_a',
    object: 'interaction',
    status: 'completed',
    steps: [
      { type: 'user_input', content: [{ type: 'image', data: 'of the request' }] },
      { type: 'thought', signature: 'AAAA' },
      output({ type: 'text', text: 'Here it is.' }),
      output(IMAGE),
    ],
    usage: USAGE,
    ...more,
  },
});

const client = new OpenAI({ apiKey: person.userKey, baseURL: `${url}/v1`, maxRetries: 0 });
const send = (body: object, { userKey }: Person = person, path = 'generations') =>
  fetch(`${url}/v1/images/${path}`, {
    method: 'POST',
    headers: { authorization: `Bearer ${userKey}`, 'content-type': 'application/json' },
    body: JSON.stringify({ model: MODEL, prompt: 'A lighthouse', ...body }),
  });

async function bookedOf({ userId }: Person) {
  const { rows: receipts } = await pool().query(
    `SELECT input_tokens, output_tokens, input_units, output_units, provider_cost, estimated, outcome FROM usage
     WHERE user_id = $1 ORDER BY created_at DESC`,
    [userId],
  );
  const { rows: losses } = await pool().query('SELECT reason, cost FROM provider_loss WHERE user_id = $1', [
    userId,
  ]);
  return { receipts, losses };
}

/** $0.25 a million for text and images, $1.50 for text and thoughts, $30 for the image. */
const costOf = (input: number, output: number, image: number): bigint =>
  BigInt(25 * input + 150 * output + 3_000 * image);

test('the OpenAI SDK gets an image, which costs what its tokens cost', async () => {
  upstream.script(NAME, interaction());
  const buyer = await newPerson({ credits: 100 });
  const { data, usage } = await new OpenAI({ apiKey: buyer.userKey, baseURL: `${url}/v1` }).images.generate({
    model: MODEL,
    prompt: 'A lighthouse',
    size: '1024x1024',
    user: 'someone@example.com',
  });
  expect(data?.map(({ b64_json: image }) => image)).toEqual([PIXEL]);
  expect(usage).toMatchObject({
    input_tokens: 28,
    input_tokens_details: { text_tokens: 28, image_tokens: 0 },
    output_tokens: 1_171,
    total_tokens: 1_199,
  });
  expect(await bookedOf(buyer)).toMatchObject({
    receipts: [
      {
        input_tokens: 28,
        output_tokens: 51,
        output_units: 1_120,
        provider_cost: costOf(28, 51, 1_120),
        estimated: false,
      },
    ],
    losses: [],
  });
  const { path, headers, body } = upstream.seen(NAME).at(-1) ?? {};
  expect(path).toBe('/v1/interactions');
  expect([typeof headers?.['x-goog-api-key'], headers?.authorization]).toEqual(['string', undefined]);
  expect(body).toEqual({
    model: NAME,
    input: [{ type: 'text', text: 'A lighthouse' }],
    response_format: { type: 'image' },
    store: false,
  });
});

test('an edit sends its images, as files or as data URLs', async () => {
  const image = { type: 'image', data: PIXEL, mime_type: 'image/png' };
  const usage = {
    ...USAGE,
    total_input_tokens: 1_148,
    total_tokens: 2_319,
    input_tokens_by_modality: [
      { modality: 'text', tokens: 28 },
      { modality: 'image', tokens: 1_120 },
    ],
  };
  upstream.script(NAME, interaction({ usage }));
  const file = await toFile(Buffer.from(PIXEL, 'base64'), 'a.png', { type: 'image/png' });
  const edited = await client.images.edit({ model: MODEL, prompt: 'Brighter', image: file });
  expect(edited.usage).toMatchObject({ input_tokens_details: { text_tokens: 28, image_tokens: 1_120 } });
  expect(upstream.lastBody(NAME).input).toEqual([image, { type: 'text', text: 'Brighter' }]);
  const response = await send({ images: [{ image_url: IMAGE_URL }], aspect_ratio: '16:9' }, person, 'edits');
  expect(response.status).toBe(200);
  expect(upstream.lastBody(NAME)).toMatchObject({
    input: [image, { type: 'text', text: 'A lighthouse' }],
    response_format: { aspect_ratio: '16:9' },
  });
  expect((await bookedOf(person)).receipts[0]).toMatchObject({ input_tokens: 28, input_units: 1_120 });
});

test.each<[string, Json, string, string?]>([
  ['two images', { n: 2 }, 'n'],
  ['a stream', { stream: true }, 'model'],
  ['a mask', { images: [{ image_url: IMAGE_URL }], mask: { image_url: IMAGE_URL } }, 'mask', 'edits'],
  [
    'the URL of an image',
    { images: [{ image_url: 'https://example.com/a.png' }] },
    'images.0.image_url',
    'edits',
  ],
])('%s is refused before Google is called, and nothing stays held', async (_, body, param, path) => {
  const buyer = await newPerson({ credits: 100 });
  const before = upstream.seen(NAME).length;
  const response = await send(body, buyer, path);
  expect(response.status).toBe(400);
  expect((await response.json()).error).toMatchObject({ param });
  expect(upstream.seen(NAME).length).toBe(before);
  const { rows } = await pool().query('SELECT 1 FROM hold WHERE user_id = $1', [buyer.userId]);
  expect([rows, await bookedOf(buyer)]).toEqual([[], { receipts: [], losses: [] }]);
});

test('what an image cannot have is named in a warning', async () => {
  upstream.script(NAME, interaction());
  const response = await send({
    quality: 'high',
    background: 'transparent',
    images: 'x',
    response_format: 'url',
  });
  expect(response.status).toBe(200);
  expect(response.headers.get('x-svc-warnings')).toMatch(/response_format.*quality.*background/s);
  expect(upstream.lastBody(NAME).input).toHaveLength(1);
});

test.each<[string, Json, number, string]>([
  [
    'is withheld with a text',
    { steps: [output({ type: 'text', text: 'I cannot.' })] },
    400,
    'its content may not be allowed',
  ],
  ['is empty', { steps: [] }, 400, 'its content may not be allowed'],
  ['fails', { status: 'failed', steps: [], error: { message: 'Internal' } }, 502, 'provider'],
  [
    'has an image only in the request',
    { steps: [{ type: 'user_input', content: [IMAGE] }] },
    400,
    'its content may not be allowed',
  ],
  ['is strange', { steps: { length: 3, 0: null }, status: ['completed'] }, 502, 'provider'],
])(
  'a response that %s costs the user nothing, and its bill is recorded',
  async (_, more, status, message) => {
    const buyer = await newPerson({ credits: 100 });
    const usage = { ...USAGE, output_tokens_by_modality: [], total_output_tokens: 11, total_tokens: 79 };
    upstream.script(NAME, interaction({ usage, ...more }));
    const response = await send({}, buyer);
    expect(response.status).toBe(status);
    expect((await response.json()).error.message).toContain(message);
    const { receipts, losses } = await bookedOf(buyer);
    expect(receipts.map(({ provider_cost: cost }) => cost)).toEqual([]);
    expect(losses).toEqual([{ reason: 'failed_response', cost: costOf(28, 51, 0) }]);
  },
);

test.each<[string, unknown]>([
  ['nothing', undefined],
  ['a text', 'many'],
  ['without images', { ...USAGE, output_tokens_by_modality: [] }],
  ['negative tokens', { ...USAGE, output_tokens_by_modality: [{ modality: 'image', tokens: -1 }] }],
  ['endless tokens', { ...USAGE, total_output_tokens: 1e300 }],
])('an image whose usage is %s is charged as one of the usual size', async (_, usage) => {
  const buyer = await newPerson({ credits: 100 });
  upstream.script(NAME, interaction({ usage }));
  expect((await send({}, buyer)).status).toBe(200);
  const { receipts } = await bookedOf(buyer);
  expect(receipts).toMatchObject([{ output_units: 1_120 }]);
});

test('is estimated as one image in the price table', () => {
  const model = findCatalogModel(MODEL);
  expect(model && exampleOf(model)).toMatchObject({ what: '1 image', usage: { outputUnits: 1_120 } });
});

test('is held for the limit of its output, whatever Google reports', async () => {
  const poor = await newPerson({ credits: 12 });
  expect((await send({}, poor)).status).toBe(402);
  const buyer = await newPerson({ credits: 100 });
  const image = [{ modality: 'image', tokens: 900_000 }];
  upstream.script(
    NAME,
    interaction({ usage: { ...USAGE, output_tokens_by_modality: image, total_output_tokens: 900_000 } }),
  );
  expect((await send({}, buyer)).status).toBe(200);
  const { rows } = await pool().query('SELECT charge, held FROM usage WHERE user_id = $1', [buyer.userId]);
  expect(rows[0].charge).toBeLessThanOrEqual(rows[0].held);
});
