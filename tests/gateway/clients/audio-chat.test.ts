import OpenAI from 'openai';
import { describe, expect, test } from 'vitest';
import { speak, toWav } from '@/sandbox/provider/tones';
import { pool } from '@/server/base/db';
import type { Json } from '@/server/gateway/protocols/neutral';
import { newPerson } from '../../harness/people';
import { until } from '../../harness/until';
import { GPT, startClientWorld } from './world';

process.env.DATA_AGREEMENTS = 'openai:no_retention';
const { url, person, upstream } = await startClientWorld();

const MODEL = 'openai/gpt-audio-1.5';
const NAME = 'gpt-audio-1.5';
/** 2 seconds. */
const WAV = toWav(speak('a'.repeat(50))).toString('base64');
const client = new OpenAI({ apiKey: person.userKey, baseURL: `${url}/v1`, maxRetries: 0 });

const part = (data = WAV, format: 'wav' | 'mp3' = 'wav') =>
  ({ type: 'input_audio', input_audio: { data, format } }) as const;
const heard = [{ role: 'user' as const, content: [part()] }];
const SPOKEN = {
  modalities: ['text', 'audio'] as ('text' | 'audio')[],
  audio: { voice: 'alloy', format: 'wav' } as const,
};

const usage = {
  prompt_tokens: 30,
  completion_tokens: 60,
  total_tokens: 90,
  prompt_tokens_details: { cached_tokens: 0, text_tokens: 10, audio_tokens: 20 },
  completion_tokens_details: { reasoning_tokens: 0, text_tokens: 10, audio_tokens: 50 },
};
const audio = { id: 'audio_1', data: 'UklGRg==', transcript: 'Hello.', expires_at: 1_800_000_000 };
const completion = (more: Json = { usage }) => ({
  id: 'chatcmpl-1',
  object: 'chat.completion',
  created: 1,
  model: NAME,
  choices: [
    { index: 0, message: { role: 'assistant', content: null, refusal: null, audio }, finish_reason: 'stop' },
  ],
  ...more,
});

/** Microcredits: $2.50 and $10 a million tokens of text, $32 and $64 of audio. */
const cost = (text: number, audioIn: number, written: number, spoken: number): bigint =>
  BigInt(text * 250 + audioIn * 3_200 + written * 1_000 + spoken * 6_400);

async function receiptOf(userId: string) {
  const { rows } = await pool().query(
    `SELECT input_tokens, output_tokens, input_units, output_units, provider_cost, charge, held, estimated
     FROM usage WHERE user_id = $1 ORDER BY created_at DESC LIMIT 1`,
    [userId],
  );
  return rows[0];
}

const send = (body: Json, userKey = person.userKey) =>
  fetch(`${url}/v1/chat/completions`, {
    method: 'POST',
    headers: { authorization: `Bearer ${userKey}`, 'content-type': 'application/json' },
    body: JSON.stringify({ model: MODEL, messages: heard, ...body }),
  });

describe('a conversation with audio', () => {
  test('reaches the OpenAI SDK, and is charged at the prices of text and of audio', async () => {
    upstream.script(NAME, { body: completion() });
    const { choices, usage: seen } = await client.chat.completions.create({
      model: MODEL,
      messages: heard,
      max_completion_tokens: 200,
      ...SPOKEN,
    });
    expect(choices[0]?.message.audio).toEqual(audio);
    expect(seen).toMatchObject(usage);
    const [sent] = upstream.seen(NAME);
    expect(sent?.body).toMatchObject({ ...SPOKEN, messages: heard, max_completion_tokens: 200 });
    const { provider_cost: billed, held, ...receipt } = await receiptOf(person.userId);
    expect(receipt).toMatchObject({
      input_tokens: 10,
      output_tokens: 10,
      input_units: 20,
      output_units: 50,
      estimated: false,
    });
    expect(billed).toBe(cost(10, 20, 10, 50));
    // The whole output may be audio.
    expect(held).toBeGreaterThanOrEqual(cost(0, 20, 0, 200));
  });

  test('is streamed as it is spoken', async () => {
    const chunk = (choices: unknown[], more: Json = {}) => ({
      ...{ id: 'c', object: 'chat.completion.chunk', created: 1, model: NAME },
      choices,
      ...more,
    });
    const delta = (given: Json) => chunk([{ index: 0, delta: given, finish_reason: null }]);
    upstream.script(NAME, {
      events: [
        delta({ role: 'assistant', audio: { id: 'audio_1', transcript: 'Hel' } }),
        delta({ audio: { data: 'AAAA' } }),
        delta({ audio: { transcript: 'lo.', data: 'BBBB' } }),
        delta({ audio: { expires_at: 1_800_000_000 } }),
        chunk([{ index: 0, delta: {}, finish_reason: 'stop' }]),
        chunk([], { usage }),
        '[DONE]',
      ],
    });
    const stream = await client.chat.completions.create({
      model: MODEL,
      messages: heard,
      modalities: ['text', 'audio'],
      audio: { voice: 'alloy', format: 'pcm16' },
      stream: true,
    });
    let [data, transcript] = ['', ''];
    for await (const { choices } of stream) {
      const spoken = (choices[0]?.delta as { audio?: { data?: string; transcript?: string } } | undefined)
        ?.audio;
      data += spoken?.data ?? '';
      transcript += spoken?.transcript ?? '';
    }
    expect([data, transcript]).toEqual(['AAAABBBB', 'Hello.']);
    const { provider_cost: billed } = await until(
      () => receiptOf(person.userId),
      (row) => row.output_units === 50,
    );
    expect(billed).toBe(cost(10, 20, 10, 50));
  });

  test.each<[string, Json, bigint | null]>([
    [
      'does not split its output',
      { usage: { ...usage, completion_tokens_details: null } },
      cost(10, 20, 0, 60),
    ],
    [
      'splits its output too far',
      { usage: { ...usage, completion_tokens_details: { audio_tokens: 1_000 } } },
      cost(10, 20, 0, 60),
    ],
    ['does not split its input', { usage: { ...usage, prompt_tokens_details: null } }, null],
    ['reports nothing', {}, null],
  ])('at a provider that %s costs what audio costs, within its hold', async (_, more, billed) => {
    const buyer = await newPerson({ credits: 1_000 });
    upstream.script(NAME, { body: completion(more) });
    expect((await send({ ...SPOKEN, max_tokens: 100 }, buyer.userKey)).status).toBe(200);
    const receipt = await receiptOf(buyer.userId);
    expect(receipt.charge).toBeLessThanOrEqual(receipt.held);
    if (billed !== null) expect(receipt.provider_cost).toBe(billed);
    else expect(receipt).toMatchObject({ input_units: 20, estimated: true });
    expect(receipt.output_units).toBeGreaterThan(0);
  });

  test('of text alone is charged as text', async () => {
    const details = { reasoning_tokens: 0, audio_tokens: 0 };
    upstream.script(NAME, {
      body: completion({ usage: { ...usage, completion_tokens_details: details } }),
    });
    expect((await send({ modalities: ['text'] })).status).toBe(200);
    expect((await receiptOf(person.userId)).provider_cost).toBe(cost(10, 20, 60, 0));
  });

  test('whose recording cannot be measured is held for the whole context window', async () => {
    upstream.script(NAME, { status: 400, body: { error: { message: 'unreadable' } } });
    const bad = Buffer.from('RIFF....WAVEjunk').toString('base64');
    const poor = await newPerson({ credits: 400 });
    const messages = [{ role: 'user', content: [part(bad)] }];
    // 128,000 tokens at $32 a million cost 409.60 credits.
    const before = upstream.seen(NAME).length;
    expect((await send({ messages }, poor.userKey)).status).toBe(402);
    expect(upstream.seen(NAME).length).toBe(before);
  });
});

describe('refused with the field', () => {
  test.each<[string, Json, string]>([
    [
      'a format without a length',
      {
        messages: [
          { role: 'user', content: [{ type: 'input_audio', input_audio: { data: WAV, format: 'flac' } }] },
        ],
      },
      'messages.0.content.0.input_audio.format',
    ],
    [
      'a recording of another format',
      { messages: [{ role: 'user', content: [part(WAV, 'mp3')] }] },
      'messages.0.content.0.input_audio.data',
    ],
    [
      'no recording',
      { messages: [{ role: 'user', content: [{ type: 'input_audio' }] }] },
      'messages.0.content.0.input_audio.format',
    ],
    [
      'a voice of the account',
      { modalities: ['audio'], audio: { voice: { id: 'voice_1' }, format: 'wav' } },
      'audio.voice',
    ],
    ['speech without a voice', { modalities: ['text', 'audio'] }, 'audio'],
    ['a voice without speech', { audio: SPOKEN.audio }, 'modalities'],
    ['images', { ...SPOKEN, modalities: ['image'] }, 'modalities'],
    ['two of them', { ...SPOKEN, n: 2 }, 'n'],
    [
      'audio of an earlier response',
      { messages: [{ role: 'assistant', audio: { id: 'audio_1' } }] },
      'messages.0.audio',
    ],
    [
      'audio of a model without it',
      { model: 'openai/gpt-4.1-mini', messages: [{ role: 'user', content: 'Hi' }], ...SPOKEN },
      'audio',
    ],
    ['a recording for a model without it', { model: 'openai/gpt-4.1-mini' }, 'messages.0.content.0.type'],
    [
      'a recording for a model of another format',
      { model: 'anthropic/claude-haiku-4-5' },
      'messages.0.content.0.type',
    ],
  ])('%s', async (_, body, param) => {
    const response = await send(body);
    const { error } = (await response.json()) as { error: Json };
    expect([response.status, error.param], JSON.stringify(error)).toEqual([400, param]);
  });
});

test.each([
  ['ends and goes on', (wav: string) => `${wav}=${wav}`],
  ['has characters of URLs', (wav: string) => `${wav}-_`],
  ['is encoded twice', (wav: string) => `${wav}%3D`],
  ['has letters that only Node.js reads', (wav: string) => `${wav}\u0141\u0141\u0141\u0141`],
])('a recording whose base64 %s is held for the whole context window @attack', async (_, write) => {
  const poor = await newPerson({ credits: 400 });
  const messages = [{ role: 'user', content: [part(write(WAV))] }];
  expect((await send({ messages, max_tokens: 10 }, poor.userKey)).status).toBe(402);
});

test('what is said is stored for an hour, so requests that must not be retained are refused', async () => {
  const { data } = await (await fetch(`${url}/v1/models`)).json();
  const rulesOf = (model: string) => data.find(({ id }: { id: string }) => id === model).data_rules;
  expect(rulesOf(GPT)).toContain('no_retention');
  expect(rulesOf(MODEL)).not.toContain('no_retention');
});

test('OpenAI runs no web search for models of audio, so none has a price', async () => {
  const { data } = (await (await fetch(`${url}/v1/models`)).json()) as {
    data: { id: string; pricing: Json }[];
  };
  const priced = data.filter(({ pricing }) => pricing.web_search !== undefined).map(({ id }) => id);
  expect(priced).toContain('openai/gpt-4.1');
  expect(priced.filter((id) => id.includes('audio'))).toEqual([]);
});

test.each([
  ['responses', { input: 'Hi' }],
  ['messages', { messages: [{ role: 'user', content: 'Hi' }], max_tokens: 200 }],
])(
  'text in the format of %s reaches OpenAI where these models are, in chat completions',
  async (format, body) => {
    const message = { role: 'assistant', content: 'Hello.' };
    const details = { reasoning_tokens: 0, text_tokens: 60, audio_tokens: 0 };
    upstream.script(NAME, {
      body: completion({
        choices: [{ index: 0, message, finish_reason: 'stop' }],
        usage: {
          ...usage,
          prompt_tokens_details: { text_tokens: 30, audio_tokens: 0 },
          completion_tokens_details: details,
        },
      }),
    });
    const response = await fetch(`${url}/v1/${format}`, {
      method: 'POST',
      headers: { authorization: `Bearer ${person.userKey}`, 'content-type': 'application/json' },
      body: JSON.stringify({ model: MODEL, ...body }),
    });
    expect([response.status, await response.text()]).toEqual([200, expect.stringContaining('Hello.')]);
    expect(upstream.seen(NAME).at(-1)?.path).toBe('/v1/chat/completions');
    expect((await receiptOf(person.userId)).provider_cost).toBe(cost(30, 0, 60, 0));
  },
);

test('the list of models says what hears and speaks', async () => {
  const { data } = (await (await fetch(`${url}/v1/models`)).json()) as {
    data: { id: string; architecture: Json; pricing: Json }[];
  };
  expect(data.find(({ id }) => id === MODEL)).toMatchObject({
    architecture: {
      modality: 'text+audio->text+audio',
      input_modalities: ['text', 'audio'],
      output_modalities: ['text', 'audio'],
    },
    pricing: { input_unit: { kind: 'audio_token' }, output_unit: { kind: 'audio_token' } },
  });
});
