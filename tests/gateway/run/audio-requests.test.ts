import { readdirSync, readFileSync } from 'node:fs';
import { expect, test } from 'vitest';
import { speak, toWav } from '@/sandbox/provider/tones';
import { chargeFor, type Picocredits } from '@/server/base/credits';
import { pool } from '@/server/base/db';
import { ApiError } from '@/server/base/errors';
import { UploadedFile } from '@/server/base/http/read-multipart';
import { CLIENT_PROTOCOLS } from '@/server/gateway/protocols/client-protocols';
import { measureDocuments } from '@/server/gateway/protocols/measure-size';
import { type Json, NO_TOKENS } from '@/server/gateway/protocols/neutral';
import { prepareExchange } from '@/server/gateway/providers/prepare-exchange';
import { resolveCandidates } from '@/server/gateway/run/candidates';
import { planRequest } from '@/server/gateway/run/plan';
import { newPerson } from '../../harness/people';
import { seededRandom } from '../../harness/random';
import type { Reply } from '../../harness/scripted-upstream';
import { until } from '../../harness/until';
import { startClientWorld } from '../clients/world';
import { TOKENIZERS } from '../tokens/tokenizers';

/**
 * The dearest and the most lying requests for speech and transcripts, at providers that bill what they publish: the hold
 * covers the bill, and every bill is a charge or a recorded loss.
 */

// Losses by the hundred would pause the user.
process.env.LIMIT_OVERRUN_CREDITS_PER_USER_PER_DAY = '1000000000';
process.env.LIMIT_OVERRUN_CREDITS_PER_APP_PER_DAY = '1000000000';
const { url, upstream } = await startClientWorld({ more: ['GROQ', 'MISTRAL'] });
const random = seededRandom();
/** More with CASES=10000. */
const CASES = Number(process.env.CASES ?? 3_000);
const SENT = Number(process.env.SENT ?? 100);

const pick = <Item>(items: readonly Item[]): Item => items[Math.floor(random() * items.length)] as Item;
const upTo = (most: number): number => Math.floor(random() * (most + 1));

/** A recording, with the seconds that FFmpeg decodes from it. */
type Recording = { bytes: Buffer; seconds: number };

const DECODED: Readonly<Record<string, number>> = {
  'mono.wav': 1,
  'voice.mp3': 1,
  'low.mp3': 10,
  'voice.m4a': 1.024,
  'silent.m4a': 60.032,
  'fragments.m4a': 2.112,
  'voice.webm': 1,
  'voice.ogg': 1,
  'silent.ogg': 30,
  'voice.flac': 1,
  'silent.flac': 30,
};
const FOLDER = new URL('../audio/recordings/', import.meta.url);
const RECORDINGS: readonly Recording[] = [
  ...readdirSync(FOLDER).map((name) => ({
    bytes: readFileSync(new URL(name, FOLDER)),
    seconds: DECODED[name] ?? 0,
  })),
  ...[1, 65, 2_000].map((letters) => ({ bytes: toWav(speak('a'.repeat(letters))), seconds: letters / 25 })),
  { bytes: toWav(Buffer.alloc(2 * 16_000 * 300)), seconds: 300 },
];

/** $ for a second, and for the text and the audio tokens, in picocredits. */
const PER_SECOND: Readonly<Record<string, bigint>> = {
  'whisper-1': 10_000_000_000n,
  'whisper-large-v3': 111_000_000_000_000n / 3_600n / 10n,
  'voxtral-mini-2602': 5_000_000_000n,
};
const PER_TOKEN: Readonly<Record<string, readonly [bigint, bigint]>> = {
  'gpt-4o-transcribe': [250_000_000n, 1_000_000_000n],
};
const PER_CHARACTER: Readonly<Record<string, bigint>> = { 'tts-1': 1_500_000_000n };

const TRANSCRIBERS = [
  'openai/whisper-1',
  'openai/gpt-4o-transcribe',
  'groq/whisper-large-v3',
  'mistral/voxtral-mini-2602',
];

type Format = 'speech' | 'transcriptions' | 'translations';
type Request = { format: Format; body: Json; seconds: number };

const writeText = (): string =>
  Array.from({ length: 1 + upTo(60) }, () =>
    pick(['the sea ', '灯台', '🦑', '👩‍👩‍👧', 'xq', '\u0001', 'é', '\n']),
  ).join('');

const LIES: readonly [string, readonly unknown[]][] = [
  [
    'file',
    [
      undefined,
      null,
      'x',
      {},
      new UploadedFile({ field: 'file', filename: '', contentType: '', bytes: Buffer.from('RIFF') }),
    ],
  ],
  ['input', ['', 7, null, ['a'], 'a'.repeat(5_000)]],
  ['voice', [{ id: 'voice_1' }, 7, '']],
  ['response_format', ['xml', 7, 'srt', 'vtt', 'pcm']],
  ['stream', ['true', 1, true]],
  ['stream_format', ['sse', 1]],
  ['chunking_strategy', ['auto', { type: 'server_vad' }]],
  ['temperature', ['warm', Number.NaN, 1e9]],
  ['duration', [1]],
  ['usage', [{ type: 'duration', seconds: 0 }]],
];

function writeRequest(): Request {
  const format = pick(['speech', 'transcriptions', 'transcriptions', 'translations'] as const);
  const { bytes, seconds } = pick(RECORDINGS);
  const body: Json =
    format === 'speech'
      ? { model: 'openai/tts-1', input: writeText(), voice: 'alloy', speed: pick([0.25, 1, 4]) }
      : {
          model: pick(TRANSCRIBERS),
          file: new UploadedFile({ field: 'file', filename: 'a', contentType: '', bytes }),
          ...(random() < 0.4 && { prompt: writeText() }),
          ...(random() < 0.5 && { response_format: pick(['json', 'text', 'verbose_json', 'srt', 'vtt']) }),
          ...(random() < 0.3 && format === 'transcriptions' && { stream: true }),
        };
  if (random() < 0.3) {
    const [name, values] = pick(LIES);
    body[name] = pick(values);
  }
  return { format, body, seconds };
}

type Bill = { seconds: number; input: number; output: number; characters: number };

/** The most that a provider may bill for what it received. */
function mostBill(sent: Json, seconds: number): Bill {
  const least = sent.model === 'whisper-large-v3' ? 10 : 0;
  return {
    seconds: Math.max(least, Math.ceil(seconds)),
    input: Math.ceil(10 * seconds) + (TOKENIZERS.o200k?.(String(sent.prompt ?? '')) ?? 0),
    output: 2_000,
    characters: [...String(sent.input ?? '')].length,
  };
}

function costOf(model: string, { seconds, input, output, characters }: Bill): bigint {
  const [ofInput = 0n, ofOutput = 0n] = PER_TOKEN[model] ?? [];
  return (
    BigInt(seconds) * (PER_SECOND[model] ?? 0n) +
    BigInt(input) * ofInput +
    BigInt(output) * ofOutput +
    BigInt(characters) * (PER_CHARACTER[model] ?? 0n)
  );
}

async function planAndPrepare({ format, body }: Request): Promise<{ want: bigint; sent: Json } | null> {
  const protocol = CLIENT_PROTOCOLS[format];
  const candidates = resolveCandidates(String(body.model));
  if (candidates === null) throw new Error(`${body.model} is not served`);
  const [{ model, profile }] = candidates;
  try {
    const client = protocol.validate(body);
    const plan = planRequest(protocol, client, candidates, await measureDocuments(protocol.measure(client)));
    const exchange = prepareExchange({
      client,
      provider: profile,
      upstreamModel: model.upstreamModel,
      requestedModel: model.id,
      inputUnit: model.prices.inputUnit?.kind,
      outputCap: plan.outputCap,
      clientHeaders: {},
      newId: () => 'id',
      created: 1,
      estimate: () => NO_TOKENS,
    });
    return { want: plan.want, sent: exchange.body };
  } catch (error) {
    if (error instanceof ApiError && error.status === 400 && error.message !== '') return null;
    throw error;
  }
}

test('the hold covers the bill of every request for audio', { timeout: 60_000 + 20 * CASES }, async () => {
  let held = 0;
  for (let n = 0; n < CASES; n++) {
    const request = writeRequest();
    const planned = await planAndPrepare(request);
    if (planned === null) continue;
    held++;
    const bill = costOf(String(planned.sent.model), mostBill(planned.sent, request.seconds));
    if (planned.want < bill)
      throw new Error(
        `A hold of ${planned.want} does not cover a bill of ${bill}: ${JSON.stringify(request)}`,
      );
  }
  expect(held).toBeGreaterThan(CASES / 4);
});

/** What the provider does, and what it bills for that. */
const ENDINGS = ['serves', 'serves', 'serves', 'refuses', 'fails', 'is empty', 'breaks off', 'lies'] as const;

test('every bill is charged or recorded as lost', { timeout: 60_000 + 400 * SENT }, async () => {
  const person = await newPerson({ credits: 50_000_000, rateBp: 2_500 });
  let billed = 0n;
  let sent = 0;
  let seconds = 0;
  const answer = (body: Json): Reply => {
    sent++;
    const ending = pick(ENDINGS);
    if (ending === 'refuses') return { status: 400, body: { error: { message: 'Invalid voice' } } };
    if (ending === 'fails') return { status: 500, body: { error: { message: 'no' } } };
    if (ending === 'is empty' && body.input !== undefined)
      return { body: Buffer.alloc(0), headers: { 'content-type': 'audio/mpeg' } };
    // What nobody saw of a text is estimated by the time that it took.
    const bill = { ...mostBill(body, seconds), ...(ending !== 'serves' && { output: 0 }) };
    billed += costOf(String(body.model), bill);
    const breaksOff = ending === 'breaks off';
    if (body.input !== undefined)
      return { body: Buffer.alloc(9_000, 1), headers: { 'content-type': 'audio/mpeg' }, breaksOff };
    const usage = writeUsage(String(body.model), bill);
    const shown =
      ending === 'lies' ? pick([{}, { seconds: -1 }, { type: 'tokens', input_tokens: 0 }]) : usage;
    if (body.stream === 'true') {
      const delta = { type: 'transcript.text.delta', delta: 'Hello.' };
      return {
        events: breaksOff ? [delta] : [delta, { type: 'transcript.text.done', text: 'Hello.', usage: shown }],
        breaksOff,
      };
    }
    if (body.response_format === 'srt' || body.response_format === 'vtt')
      return { body: 'WEBVTT\n\nHello.\n' };
    return { body: breaksOff ? '{"text":"Hel' : { text: 'Hello.', usage: shown }, breaksOff };
  };
  for (const name of ['tts-1', 'whisper-1', 'gpt-4o-transcribe', 'whisper-large-v3', 'voxtral-mini-2602'])
    upstream.script(name, answer);
  for (let n = 0; n < SENT; n++) {
    const request = writeRequest();
    seconds = request.seconds;
    const response = await send(request, person.userKey);
    // A broken speech ends its connection.
    await response.arrayBuffer().catch(() => {});
    expect([200, 400, 502, 503, 429]).toContain(response.status);
  }
  await until(
    () => countHolds(person.userId),
    (holds) => holds === 0,
  );
  const { rows } = await pool().query<{ cost: bigint; wrong: number }>(
    `SELECT sum(provider_cost)::bigint AS cost, count(*) FILTER (WHERE charge > held)::int AS wrong
     FROM usage WHERE user_id = $1`,
    [person.userId],
  );
  const losses = await pool().query<{ cost: bigint }>(
    'SELECT coalesce(sum(cost), 0)::bigint AS cost FROM provider_loss WHERE user_id = $1',
    [person.userId],
  );
  expect(sent).toBeGreaterThan(SENT / 5);
  expect(rows[0]?.wrong).toBe(0);
  const recorded = (rows[0]?.cost ?? 0n) + (losses.rows[0]?.cost ?? 0n);
  expect(recorded).toBeGreaterThanOrEqual(chargeFor(billed as Picocredits, 0).charge);
});

function writeUsage(model: string, { seconds, input, output }: Bill): Json {
  if (PER_TOKEN[model] === undefined)
    return model === 'voxtral-mini-2602' ? { prompt_audio_seconds: seconds } : { type: 'duration', seconds };
  return { type: 'tokens', input_tokens: input, output_tokens: output };
}

function send({ format, body }: Request, userKey: string): Promise<Response> {
  const where = `${url}/v1/audio/${format}`;
  const headers = { authorization: `Bearer ${userKey}` };
  if (format === 'speech')
    return fetch(where, {
      method: 'POST',
      headers: { ...headers, 'content-type': 'application/json' },
      body: JSON.stringify(body),
    });
  const form = new FormData();
  for (const [name, value] of Object.entries(body)) {
    if (value instanceof UploadedFile) form.append(name, new File([new Uint8Array(value.bytes)], 'a'));
    else if (value != null)
      form.append(name, typeof value === 'object' ? JSON.stringify(value) : String(value));
  }
  return fetch(where, { method: 'POST', headers, body: form });
}

async function countHolds(userId: string): Promise<number> {
  const { rows } = await pool().query<{ count: number }>(
    'SELECT count(*)::int AS count FROM hold WHERE user_id = $1 AND NOT kept',
    [userId],
  );
  return rows[0]?.count ?? 0;
}
