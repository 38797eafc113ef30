import OpenAI, { toFile } from 'openai';
import { describe, expect, test } from 'vitest';
import { speak, toWav } from '@/sandbox/provider/tones';
import { pool } from '@/server/base/db';
import type { UploadedFile } from '@/server/base/http/read-multipart';
import type { Json } from '@/server/gateway/protocols/neutral';
import { newPerson, type Person } from '../../harness/people';
import { startClientWorld } from './world';

const { url, person, upstream } = await startClientWorld({ more: ['GROQ', 'MISTRAL'] });

const WHISPER = 'openai/whisper-1';
const TOKENS = 'openai/gpt-4o-transcribe';
const GROQ = 'groq/whisper-large-v3';
const MISTRAL = 'mistral/voxtral-mini-2602';
/** 2.6 seconds. */
const WAV = toWav(speak('a'.repeat(65)));

const client = new OpenAI({ apiKey: person.userKey, baseURL: `${url}/v1`, maxRetries: 0 });
const recording = () => toFile(WAV, 'my secret meeting.wav', { type: 'audio/wav' });

type Sent = { path?: string; file?: Buffer | null; key?: string; fields?: Record<string, string> };

function send(
  { path = 'transcriptions', file = WAV, key, ...more }: Sent & Record<string, unknown>,
  { userKey }: Person = person,
) {
  const form = new FormData();
  for (const [name, value] of Object.entries({ model: WHISPER, ...more }))
    if (value !== undefined) form.append(name, String(value));
  if (file !== null) form.append('file', new File([new Uint8Array(file)], 'a.wav', { type: 'audio/wav' }));
  return fetch(`${url}/v1/audio/${path}`, {
    method: 'POST',
    headers: { authorization: `Bearer ${userKey}`, ...(key !== undefined && { 'idempotency-key': key }) },
    body: form,
  });
}

async function receiptOf({ userId }: Person) {
  const { rows } = await pool().query(
    `SELECT model, input_tokens, output_tokens, input_units, provider_cost, charge, held, estimated, outcome
     FROM usage WHERE user_id = $1 ORDER BY created_at DESC LIMIT 1`,
    [userId],
  );
  return rows[0];
}

const ofSeconds = (seconds: number) => ({ type: 'duration', seconds });
const text = (more: Json = {}) => ({ body: { text: 'Hello.', usage: ofSeconds(3), ...more } });
const ofTokens = {
  type: 'tokens',
  input_tokens: 30,
  input_token_details: { text_tokens: 4, audio_tokens: 26 },
  output_tokens: 5,
  total_tokens: 35,
};
/** $0.006 a minute are 10,000 microcredits a second. */
const WHISPER_SECOND = 10_000n;

describe('a recording', () => {
  test('reaches the OpenAI SDK as text, with what it cost', async () => {
    upstream.script('whisper-1', text());
    const response = await client.audio.transcriptions.create({
      file: await recording(),
      model: WHISPER,
      language: 'en',
      prompt: 'names',
      temperature: 0.5,
      timestamp_granularities: ['word', 'segment'],
    });
    expect(response).toMatchObject({
      text: 'Hello.',
      usage: { type: 'duration', seconds: 3, cost: expect.any(Number) },
    });
    const { path, headers, body } = upstream.seen('whisper-1')[0] ?? {};
    expect(path).toBe('/v1/audio/transcriptions');
    expect(headers?.authorization).toBe('Bearer sk-of-the-operator-openai');
    const { file, ...fields } = body ?? {};
    expect(fields).toEqual({
      model: 'whisper-1',
      language: 'en',
      prompt: 'names',
      temperature: '0.5',
      'timestamp_granularities[]': ['word', 'segment'],
    });
    expect(file).toMatchObject({ filename: 'audio.wav', contentType: 'audio/wav' });
    expect((file as UploadedFile).bytes.equals(WAV)).toBe(true);
  });

  test('reaches it as a stream, whose last event says what it cost', async () => {
    upstream.script('gpt-4o-transcribe', {
      events: [
        { type: 'transcript.text.delta', delta: 'Hel' },
        { type: 'transcript.text.delta', delta: 'lo.' },
        { type: 'transcript.text.done', text: 'Hello.', usage: ofTokens },
        'data: [DONE]',
      ],
    });
    const stream = await client.audio.transcriptions.create({
      file: await recording(),
      model: TOKENS,
      stream: true,
    });
    const events: object[] = [];
    for await (const event of stream) events.push(event);
    expect(events).toEqual([
      { type: 'transcript.text.delta', delta: 'Hel' },
      { type: 'transcript.text.delta', delta: 'lo.' },
      { type: 'transcript.text.done', text: 'Hello.', usage: { ...ofTokens, cost: expect.any(Number) } },
    ]);
    expect(await receiptOf(person)).toMatchObject({
      input_tokens: 4,
      input_units: 26,
      output_tokens: 5,
      estimated: false,
    });
  });

  test('is translated', async () => {
    upstream.script('whisper-1', text());
    const { text: english } = await client.audio.translations.create({
      file: await recording(),
      model: WHISPER,
    });
    expect(english).toBe('Hello.');
    expect(upstream.seen('whisper-1')[0]?.path).toBe('/v1/audio/translations');
  });

  test.each([
    ['srt', '1\n00:00 --> 00:01\nHello.\n'],
    ['srt', '\n'],
    ['vtt', 'WEBVTT\n\n00:00 --> 00:01\nHello.\n'],
  ])('reaches the client as %s, as the provider wrote it: %j', async (response_format, body) => {
    upstream.script('whisper-1', { body });
    const response = await send({ response_format });
    expect(response.headers.get('content-type')).toBe('text/plain; charset=utf-8');
    expect(await response.text()).toBe(body);
    expect(await receiptOf(person)).toMatchObject({ input_units: 3, estimated: true });
  });

  test.each([WHISPER, GROQ, MISTRAL])(
    'of %s reaches the client as plain text, with a reported length',
    async (model) => {
      const name = model.slice(model.indexOf('/') + 1);
      upstream.script(name, text());
      const response = await send({ model, response_format: 'text' });
      expect(await response.text()).toBe('Hello.\n');
      expect(await receiptOf(person)).toMatchObject({ model, estimated: false });
    },
  );
});

test.each([
  ['srt', '<html>The gateway of account 7 failed</html>'],
  ['srt', '["1"]'],
  ['vtt', ''],
  ['vtt', 'The gateway of account 7 failed'],
])('what is no %s costs nothing and is not shown: %j @attack', async (response_format, body) => {
  const buyer = await newPerson({ credits: 1_000, rateBp: 0 });
  upstream.script('whisper-1', { body });
  const response = await send({ response_format }, buyer);
  expect(response.status).toBe(502);
  expect(await response.text()).not.toContain('account');
  expect(await receiptOf(buyer)).toBeUndefined();
});

describe('a transcript is charged', () => {
  test.each<[string, Json, number]>([
    ['what the provider reports', { usage: ofSeconds(2) }, 2],
    ['the duration of a detailed transcript', { usage: undefined, duration: 1.2 }, 2],
    ['at most what is held, whatever the provider reports', { usage: ofSeconds(500) }, 3],
    ['what was counted, without a report', { usage: undefined }, 3],
    ['what was counted, with an impossible report', { usage: ofSeconds(-5) }, 3],
  ])('%s', async (_, more, seconds) => {
    const buyer = await newPerson({ credits: 100, rateBp: 0 });
    upstream.script('whisper-1', text(more));
    expect((await send({}, buyer)).status).toBe(200);
    const { charge, held } = await receiptOf(buyer);
    expect(BigInt(charge)).toBe(BigInt(seconds) * WHISPER_SECOND);
    expect(BigInt(held)).toBe(3n * WHISPER_SECOND);
  });

  test('for ten seconds at least at Groq', async () => {
    upstream.script(
      'whisper-large-v3',
      text({ x_groq: { id: 'req_secret' }, usage: undefined, duration: 2.6 }),
    );
    const response = await send({ model: GROQ, response_format: 'verbose_json' });
    expect(await response.json()).toEqual({
      text: 'Hello.',
      duration: 2.6,
      usage: { type: 'duration', seconds: 10, cost: expect.any(Number) },
    });
    expect(await receiptOf(person)).toMatchObject({ input_units: 10 });
  });

  test('as Mistral counts', async () => {
    upstream.script(
      'voxtral-mini-2602',
      text({ model: 'up', usage: { prompt_audio_seconds: 3, prompt_tokens: 4, completion_tokens: 5 } }),
    );
    const body = await (await send({ model: MISTRAL, prompt: 'names' })).json();
    expect(body).toMatchObject({ model: MISTRAL, usage: { type: 'duration', seconds: 3 } });
  });

  test('nothing if the provider fails', async () => {
    const buyer = await newPerson({ credits: 100 });
    upstream.script('whisper-1', {
      status: 400,
      body: { error: { message: 'Audio file might be corrupted' } },
    });
    const response = await send({}, buyer);
    expect([response.status, (await response.json()).error.message]).toEqual([
      400,
      'Audio file might be corrupted',
    ]);
    expect(await receiptOf(buyer)).toBeUndefined();
  });

  test('once, if it is sent again at another place', async () => {
    upstream.script('whisper-1', { status: 500, body: {} }, text());
    expect((await send({})).status).toBe(200);
    const [first, second] = upstream.seen('whisper-1').map(({ body }) => (body.file as UploadedFile).bytes);
    expect(first?.equals(second ?? Buffer.alloc(0))).toBe(true);
  });
});

describe('an Idempotency-Key', () => {
  test('repeats the response for the same form with another boundary', async () => {
    const buyer = await newPerson({ credits: 100 });
    upstream.script('whisper-1', text());
    const first = await (await send({ key: 'k1' }, buyer)).json();
    const again = await send({ key: 'k1' }, buyer);
    expect(again.headers.get('idempotent-replayed')).toBe('true');
    expect(await again.json()).toEqual(first);
    expect(upstream.seen('whisper-1')).toHaveLength(1);
  });

  test('is refused for another recording', async () => {
    upstream.script('whisper-1', text());
    await send({ key: 'k2' });
    const other = Buffer.from(WAV);
    other[100] = 1;
    expect((await send({ key: 'k2', file: other })).status).toBe(409);
  });
});

describe('a transcription request is refused', () => {
  test.each<[string, Sent & Record<string, unknown>, string]>([
    ['without a file', { file: null }, 'file: is required: an audio file'],
    ['with a file that is no audio', { file: Buffer.from('hello '.repeat(20)) }, 'file: must be WAV'],
    ['with a temperature that is no number', { temperature: 'warm' }, 'temperature: must be a number'],
    ['with another format', { response_format: 'xml' }, 'response_format: must be'],
    [
      'with a format that the provider does not write',
      { model: GROQ, response_format: 'srt' },
      'response_format: cannot be srt at this provider',
    ],
    [
      'as a stream of a model that does not stream',
      { stream: true },
      'stream: is not possible with this model',
    ],
    [
      'with parts whose text has no bound',
      { model: TOKENS, chunking_strategy: 'auto' },
      'chunking_strategy: cannot be used',
    ],
    [
      'with a model that does not translate',
      { model: TOKENS, path: 'translations' },
      'model: does not translate',
    ],
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
    expect(error.param).toBe(message.slice(0, message.indexOf(':')));
  });

  test('as JSON', async () => {
    const response = await fetch(`${url}/v1/audio/transcriptions`, {
      method: 'POST',
      headers: { authorization: `Bearer ${person.userKey}`, 'content-type': 'application/json' },
      body: JSON.stringify({ model: WHISPER }),
    });
    expect((await response.json()).error).toMatchObject({ type: 'invalid_request', param: 'Content-Type' });
  });

  test('with a wrong key before its body is read', async () => {
    expect((await send({ file: null }, { ...person, userKey: 'svc_sk_wrong' })).status).toBe(401);
  });

  test('if the user cannot pay for the whole recording', async () => {
    const poor = await newPerson({ credits: 1 });
    upstream.script('whisper-1', text());
    const hour = toWav(Buffer.alloc(2 * 16_000 * 600));
    expect((await send({ file: hour }, poor)).status).toBe(402);
    expect(upstream.seen('whisper-1')).toEqual([]);
  });
});

test('a model of transcripts is listed as one', async () => {
  const { data } = (await (await fetch(`${url}/v1/models`)).json()) as { data: Json[] };
  expect(data.find(({ id }) => id === WHISPER)).toMatchObject({
    type: 'transcription',
    architecture: { modality: 'audio->text' },
    pricing: { input_unit: { kind: 'second', usd: '0.0001' } },
  });
});
