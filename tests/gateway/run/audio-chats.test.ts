import { readFileSync } from 'node:fs';
import { test } from 'vitest';
import { speak, toWav } from '@/sandbox/provider/tones';
import type { Json } from '@/server/gateway/protocols/neutral';
import { seededRandom } from '../../harness/random';
import type { Reply } from '../../harness/scripted-upstream';
import { startClientWorld } from '../clients/world';
import { TOKENIZERS } from '../tokens/tokenizers';
import { checkBills, checkHolds, type RequestKind } from './unit-requests';

/**
 * The dearest and the most lying conversations with audio, at a provider that bills what it publishes: the hold covers
 * the bill, and every bill is a charge or a recorded loss.
 */

// Losses by the hundred would pause the user.
process.env.LIMIT_OVERRUN_CREDITS_PER_USER_PER_DAY = '1000000000';
process.env.LIMIT_OVERRUN_CREDITS_PER_APP_PER_DAY = '1000000000';
const world = await startClientWorld();
const random = seededRandom();
/** More with CASES=10000. */
const CASES = Number(process.env.CASES ?? 1_000);
const SENT = Number(process.env.SENT ?? 80);

const pick = <Item>(items: readonly Item[]): Item => items[Math.floor(random() * items.length)] as Item;
const upTo = (most: number): number => Math.floor(random() * (most + 1));

type Recording = { data: string; format: string; seconds: number };

const FOLDER = new URL('../audio/recordings/', import.meta.url);
const toRecording = (bytes: Buffer, format: string, seconds: number): Recording => ({
  data: bytes.toString('base64'),
  format,
  seconds,
});
const ofFile = (name: string, seconds: number): Recording =>
  toRecording(readFileSync(new URL(name, FOLDER)), name.slice(-3), seconds);
const RECORDINGS: readonly Recording[] = [
  ofFile('mono.wav', 1),
  ofFile('voice.mp3', 1),
  ofFile('low.mp3', 10),
  ...[1, 65, 2_000].map((letters) => toRecording(toWav(speak('a'.repeat(letters))), 'wav', letters / 25)),
  toRecording(toWav(Buffer.alloc(2 * 16_000 * 300)), 'wav', 300),
];

/** One letter, of 0.4 tokens. */
const SHORTEST = 3;

/** Picocredits of a token: of text in and out, and of audio in and out. */
const PRICES: Readonly<Record<string, readonly [bigint, bigint, bigint, bigint]>> = {
  'gpt-audio-1.5': [250_000_000n, 1_000_000_000n, 3_200_000_000n, 6_400_000_000n],
  'gpt-audio-mini': [60_000_000n, 240_000_000n, 1_000_000_000n, 2_000_000_000n],
};

const writeText = (): string =>
  Array.from({ length: 1 + upTo(60) }, () =>
    pick(['the sea ', '灯台', '🦑', 'xq', '\u0001', 'é', '\n']),
  ).join('');

const textPart = (): Json => ({ type: 'text', text: writeText() });
const audioPart = ({ data, format }: Recording): Json => ({
  type: 'input_audio',
  input_audio: { data, format },
});

const LIES: readonly [string, readonly unknown[]][] = [
  ['modalities', [['audio'], ['image'], 'audio', [7], ['text', 'audio']]],
  ['audio', [{}, { voice: { id: 'voice_1' }, format: 'wav' }, { voice: 'alloy' }, 'alloy', null]],
  ['n', [0, 3, 8]],
  ['max_tokens', [1, 16_384, 1e9]],
  ['stream', ['yes']],
  ['messages', [[], [{ role: 'user', content: [audioPart({ data: 'AAAA', format: 'wav', seconds: 0 })] }]]],
  ['messages', [[{ role: 'user', content: [audioPart({ data: 'UklGR', format: 'wav', seconds: 0 })] }]]],
  ['messages', [[{ role: 'user', content: [{ type: 'input_audio', input_audio: 'x' }] }]]],
  ['messages', [[{ role: 'assistant', audio: { id: 'audio_1' } }]]],
  ['prediction', [{ type: 'content', content: writeText() }]],
];

function writeRequest(): Json {
  // A provider may round up each of many short recordings.
  const isMany = random() < 0.1;
  const content = Array.from({ length: isMany ? 300 : 1 + upTo(3) }, () => {
    if (isMany) return audioPart(RECORDINGS[SHORTEST] as Recording);
    return random() < 0.6 ? audioPart(pick(RECORDINGS)) : textPart();
  });
  const speaks = random() < 0.7;
  const body: Json = {
    model: `openai/${pick(Object.keys(PRICES))}`,
    messages: [
      ...(random() < 0.5 ? [{ role: 'system', content: writeText() }] : []),
      { role: 'user', content },
    ],
    ...(speaks && { modalities: ['text', 'audio'], audio: { voice: 'alloy', format: 'wav' } }),
    ...(random() < 0.5 && { max_completion_tokens: 1 + upTo(16_383) }),
    ...(random() < 0.3 && { stream: true }),
    ...(random() < 0.2 && { n: 1 + upTo(3) }),
  };
  if (random() < 0.3) {
    const [name, values] = pick(LIES);
    body[name] = pick(values);
  }
  return body;
}

type Usage = { text: number; heard: number; written: number; spoken: number };

const SECONDS = new Map(RECORDINGS.map(({ data, seconds }) => [data, seconds]));

/** What the provider counts of what it received, if the model speaks as long as it may. */
function mostUsage(sent: Json): Usage {
  let [text, heard] = [0, 0];
  for (const { content } of sent.messages as { content: unknown }[]) {
    text += 4;
    if (typeof content === 'string') text += countText(content);
    for (const part of Array.isArray(content) ? (content as Json[]) : []) {
      const recording = part.input_audio as { data: string } | undefined;
      if (recording === undefined) text += countText(String(part.text));
      else heard += Math.ceil(10 * (SECONDS.get(recording.data) ?? 0));
    }
  }
  const output = Number(sent.n ?? 1) * Number(sent.max_completion_tokens ?? sent.max_tokens);
  const speaks = Array.isArray(sent.modalities) && sent.modalities.includes('audio');
  return { text, heard, written: speaks ? 0 : output, spoken: speaks ? output : 0 };
}

const countText = (text: string): number => TOKENIZERS.o200k?.(text) ?? 0;

function costOf(model: string, { text, heard, written, spoken }: Usage): bigint {
  const [input = 0n, output = 0n, audioIn = 0n, audioOut = 0n] = PRICES[model] ?? [];
  return (
    BigInt(text) * input + BigInt(heard) * audioIn + BigInt(written) * output + BigInt(spoken) * audioOut
  );
}

const ENDINGS = [
  'serves',
  'serves',
  'serves',
  'refuses',
  'fails',
  'is silent',
  'breaks off',
  'lies',
] as const;

function answer(body: Json): ReturnType<RequestKind['answer']> {
  const ending = pick(ENDINGS);
  const free = (reply: Reply) => ({ reply, bill: 0n });
  if (ending === 'refuses') return free({ status: 400, body: { error: { message: 'Invalid audio' } } });
  if (ending === 'fails') return free({ status: 500, body: { error: { message: 'no' } } });
  const most = mostUsage(body);
  // What nobody saw or reported is estimated by what was seen.
  const usage = ending === 'serves' ? most : { ...most, written: 0, spoken: 0 };
  const reply = { ...writeReply(body, writeUsage(ending, usage)), breaksOff: ending === 'breaks off' };
  return { reply, bill: costOf(String(body.model), usage) };
}

function writeUsage(ending: (typeof ENDINGS)[number], { text, heard, written, spoken }: Usage): Json | null {
  if (ending === 'is silent' || ending === 'breaks off') return null;
  if (ending === 'lies')
    return pick<Json>([
      { prompt_tokens: -1, completion_tokens: 1e15 },
      { prompt_tokens: text + heard, completion_tokens: 5, prompt_tokens_details: { audio_tokens: 1e9 } },
      { prompt_tokens: text + heard, completion_tokens: 5, prompt_tokens_details: { audio_tokens: 'x' } },
    ]);
  return {
    prompt_tokens: text + heard,
    completion_tokens: written + spoken,
    total_tokens: text + heard + written + spoken,
    prompt_tokens_details: { cached_tokens: 0, text_tokens: text, audio_tokens: heard },
    completion_tokens_details: { reasoning_tokens: 0, text_tokens: written, audio_tokens: spoken },
  };
}

function writeReply(body: Json, usage: Json | null): Reply {
  const audio = { id: 'audio_1', data: 'AAAA', transcript: 'Hello.' };
  const head = { id: 'c', created: 1, model: body.model };
  if (body.stream !== true) {
    const choice = { index: 0, message: { role: 'assistant', content: null, audio }, finish_reason: 'stop' };
    return { body: { ...head, object: 'chat.completion', choices: [choice], ...(usage && { usage }) } };
  }
  const chunk = (choices: unknown[], more = {}) => ({
    ...head,
    object: 'chat.completion.chunk',
    choices,
    ...more,
  });
  const spoken = { index: 0, delta: { role: 'assistant', audio }, finish_reason: null };
  if (usage === null) return { events: [chunk([spoken])] };
  const end = { index: 0, delta: {}, finish_reason: 'stop' };
  return { events: [chunk([spoken]), chunk([end]), chunk([], { usage }), '[DONE]'] };
}

const KIND: RequestKind = {
  format: 'chat',
  path: '/v1/chat/completions',
  upstreamModels: Object.keys(PRICES),
  write: writeRequest,
  mostBill: (sent) => costOf(String(sent.model), mostUsage(sent)),
  answer,
};

test('the hold covers the bill of every conversation with audio', { timeout: 60_000 + 40 * CASES }, () =>
  checkHolds(KIND, CASES),
);

test('every bill is charged or recorded as lost', { timeout: 60_000 + 900 * SENT }, () =>
  checkBills(world, KIND, SENT),
);
