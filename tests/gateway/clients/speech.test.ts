import OpenAI from 'openai';
import { describe, expect, test } from 'vitest';
import { speak, toWav } from '@/sandbox/provider/tones';
import { pool } from '@/server/base/db';
import type { Json } from '@/server/gateway/protocols/neutral';
import { newPerson, type Person } from '../../harness/people';
import { until } from '../../harness/until';
import { startClientWorld } from './world';

const { url, person, upstream } = await startClientWorld({ more: ['GROQ'] });

const MODEL = 'openai/tts-1';
const NAME = 'tts-1';
const ORPHEUS = 'groq/canopylabs/orpheus-v1-english';
/** Has every byte. */
const AUDIO = Buffer.concat([
  toWav(speak('hi')),
  Buffer.from(Array.from({ length: 256 }, (_, byte) => byte)),
]);
const audio = (body = AUDIO, headers: Record<string, string> = { 'content-type': 'audio/wav' }) => ({
  body,
  headers,
});

const client = new OpenAI({ apiKey: person.userKey, baseURL: `${url}/v1`, maxRetries: 0 });
const send = (body: object, { userKey }: Person = person, headers = {}) =>
  fetch(`${url}/v1/audio/speech`, {
    method: 'POST',
    headers: { authorization: `Bearer ${userKey}`, 'content-type': 'application/json', ...headers },
    body: JSON.stringify({ model: MODEL, input: 'Hello', voice: 'alloy', ...body }),
  });
const bytesOf = async (response: Response): Promise<Buffer> => Buffer.from(await response.arrayBuffer());

async function receiptOf({ userId }: Person) {
  const { rows } = await pool().query(
    `SELECT model, input_units, provider_cost, charge, held, estimated, outcome
     FROM usage WHERE user_id = $1 ORDER BY created_at DESC LIMIT 1`,
    [userId],
  );
  return rows[0];
}

/** $15 a million are 1,500 microcredits a character. */
const CHARACTER = 1_500n;

describe('speech', () => {
  test('reaches the OpenAI SDK byte for byte', async () => {
    upstream.script(NAME, audio());
    const response = await client.audio.speech.create({
      model: MODEL,
      input: 'Hello',
      voice: 'alloy',
      speed: 1.5,
      response_format: 'wav',
    });
    expect(response.headers.get('content-type')).toBe('audio/wav');
    expect((await bytesOf(response)).equals(AUDIO)).toBe(true);
    const { path, body } = upstream.seen(NAME)[0] ?? {};
    expect(path).toBe('/v1/audio/speech');
    expect(body).toEqual({ model: NAME, input: 'Hello', voice: 'alloy', speed: 1.5, response_format: 'wav' });
  });

  test('of Groq reaches it too', async () => {
    upstream.script('canopylabs/orpheus-v1-english', audio());
    expect((await bytesOf(await send({ model: ORPHEUS, voice: 'tara' }))).equals(AUDIO)).toBe(true);
  });

  test('is charged by the characters of the text, as Unicode counts them', async () => {
    const buyer = await newPerson({ credits: 100, rateBp: 0 });
    upstream.script(NAME, audio());
    await bytesOf(await send({ input: 'Grüße 😀' }, buyer));
    const receipt = await receiptOf(buyer);
    expect(receipt).toMatchObject({ input_units: 7, estimated: false, outcome: 'completed' });
    expect([BigInt(receipt.charge), BigInt(receipt.held)]).toEqual([7n * CHARACTER, 7n * CHARACTER]);
  });

  test('names fields that do not reach the provider', async () => {
    upstream.script(NAME, audio());
    const response = await send({ instructions: 'slowly' });
    expect(response.headers.get('x-svc-warnings')).toBe('instructions was dropped');
    await bytesOf(response);
  });

  test('is replayed byte for byte for an Idempotency-Key', async () => {
    const buyer = await newPerson({ credits: 100 });
    const key = { 'idempotency-key': 'speech' };
    upstream.script(NAME, audio());
    await bytesOf(await send({}, buyer, key));
    const again = await send({}, buyer, key);
    expect(again.headers.get('idempotent-replayed')).toBe('true');
    expect(again.headers.get('content-type')).toBe('audio/wav');
    expect((await bytesOf(again)).equals(AUDIO)).toBe(true);
    expect(upstream.seen(NAME)).toHaveLength(1);
  });

  test('that is too large to be kept is not replayed, but refused with its receipt @attack', async () => {
    const key = { 'idempotency-key': 'long speech' };
    upstream.script(NAME, audio(Buffer.alloc(5 * 1024 * 1024, 1)));
    expect((await bytesOf(await send({}, person, key))).length).toBe(5 * 1024 * 1024);
    expect((await send({}, person, key)).status).toBe(409);
  });
});

describe('speech that fails', () => {
  test.each<[string, object]>([
    ['before it begins', { status: 400, body: { error: { message: 'Invalid voice' } } }],
    ['with JSON in place of audio', { body: { error: { message: 'no' } } }],
    ['with nothing', audio(Buffer.alloc(0))],
  ])('%s costs nothing', async (_, reply) => {
    const buyer = await newPerson({ credits: 100 });
    upstream.script(NAME, reply);
    expect((await send({}, buyer)).status).toBeGreaterThanOrEqual(400);
    expect(await receiptOf(buyer)).toBeUndefined();
  });

  test('to end is broken off @attack', async () => {
    const most = 256 * 1024 * 1024;
    upstream.script(NAME, audio(Buffer.alloc(most + 1)));
    const response = await send({});
    let bytes = 0;
    const read = async () => {
      for await (const piece of response.body ?? []) bytes += piece.length;
    };
    await expect(read()).rejects.toThrow();
    expect(bytes).toBeLessThanOrEqual(most);
  });

  test('in the middle ends the connection early, and is charged as the provider bills it', async () => {
    const buyer = await newPerson({ credits: 100, rateBp: 0 });
    upstream.script(NAME, { ...audio(), breaksOff: true });
    await expect(send({}, buyer).then(bytesOf)).rejects.toThrow();
    const receipt = await until(
      () => receiptOf(buyer),
      (found) => found !== undefined,
    );
    expect([BigInt(receipt.charge), receipt.outcome]).toEqual([5n * CHARACTER, 'failed']);
  });
});

describe('a speech request is refused', () => {
  test.each<[string, object, string]>([
    ['without a text', { input: '' }, 'input: is required'],
    ['with a long text', { input: 'a'.repeat(4_097) }, 'input: must have at most 4096 characters'],
    ['with a voice of an account', { voice: { id: 'voice_1' } }, 'voice: must be the name of a voice'],
    ['with another format', { response_format: 'ogg' }, 'response_format: must be'],
    ['as events', { stream_format: 'sse' }, 'stream_format: must be `audio`'],
    [
      'with a model that chats',
      { model: 'openai/gpt-4.1-mini' },
      'model: openai/gpt-4.1-mini is a language model',
    ],
  ])('%s', async (_, body, message) => {
    const response = await send(body);
    const { error } = await response.json();
    expect([response.status, error.type]).toEqual([400, 'invalid_request']);
    expect(error.message).toContain(message);
  });

  test('if the user cannot pay for the whole text', async () => {
    const poor = await newPerson({ credits: 1 });
    upstream.script(NAME, audio());
    expect((await send({ input: 'a'.repeat(4_000) }, poor)).status).toBe(402);
    expect(upstream.seen(NAME)).toEqual([]);
  });
});

test('a quote is exact', async () => {
  const response = await fetch(`${url}/v1/credits/quote`, {
    method: 'POST',
    headers: { authorization: `Bearer ${person.userKey}`, 'content-type': 'application/json' },
    body: JSON.stringify({
      endpoint: '/v1/audio/speech',
      request: { model: MODEL, input: 'Hello', voice: 'alloy' },
    }),
  });
  const { likely, maximum, basis } = (await response.json()) as Json;
  expect(likely).toBe(maximum);
  expect(basis).toMatchObject({ input_units: 5 });
});

test('a model of speech is listed as one', async () => {
  const { data } = (await (await fetch(`${url}/v1/models`)).json()) as { data: Json[] };
  expect(data.find(({ id }) => id === MODEL)).toMatchObject({
    type: 'speech',
    architecture: { modality: 'text->audio' },
    pricing: { input_unit: { kind: 'character', usd: '0.000015' } },
    supported_parameters: ['voice', 'response_format', 'speed'],
  });
});
