import { test } from 'vitest';
import { speak, toWav } from '@/sandbox/provider/tones';
import { UploadedFile } from '@/server/base/http/read-multipart';
import type { Json } from '@/server/gateway/protocols/neutral';
import { seededRandom } from '../../harness/random';
import type { Reply } from '../../harness/scripted-upstream';
import { RECORDINGS, readRecording } from '../audio/recordings';
import { startClientWorld } from '../clients/world';
import { TOKENIZERS } from '../tokens/tokenizers';
import { checkBills, checkHolds, type RequestKind } from './unit-requests';

/**
 * The dearest and the most lying requests for speech and transcripts, at providers that bill what they publish: the hold
 * covers the bill, and every bill is a charge or a recorded loss.
 */

// Losses by the hundred would pause the user.
process.env.LIMIT_OVERRUN_CREDITS_PER_USER_PER_DAY = '1000000000';
process.env.LIMIT_OVERRUN_CREDITS_PER_APP_PER_DAY = '1000000000';
const world = await startClientWorld({ more: ['GROQ', 'MISTRAL'] });
const random = seededRandom();
/** More with CASES=10000. */
const CASES = Number(process.env.CASES ?? 1_000);
const SENT = Number(process.env.SENT ?? 60);

const pick = <Item>(items: readonly Item[]): Item => items[Math.floor(random() * items.length)] as Item;
const upTo = (most: number): number => Math.floor(random() * (most + 1));

/** A recording, with the seconds that FFmpeg decodes from it. */
type Recording = { bytes: Buffer; seconds: number };

const SPOKEN: readonly Recording[] = [
  ...Object.entries(RECORDINGS).map(([name, seconds]) => ({ bytes: readRecording(name), seconds })),
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

/** Of the newest request that was written. */
let seconds = 0;

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

function writeRequest(format: Format): Json {
  const recording = pick(SPOKEN);
  seconds = recording.seconds;
  const body: Json =
    format === 'speech'
      ? { model: 'openai/tts-1', input: writeText(), voice: 'alloy', speed: pick([0.25, 1, 4]) }
      : {
          model: pick(TRANSCRIBERS),
          file: new UploadedFile({ field: 'file', filename: 'a', contentType: '', bytes: recording.bytes }),
          ...(random() < 0.4 && { prompt: writeText() }),
          ...(random() < 0.5 && { response_format: pick(['json', 'text', 'verbose_json', 'srt', 'vtt']) }),
          ...(random() < 0.3 && format === 'transcriptions' && { stream: true }),
        };
  if (random() < 0.3) {
    const [name, values] = pick(LIES);
    body[name] = pick(values);
  }
  return body;
}

type Bill = { seconds: number; input: number; output: number; characters: number };

/** The most that a provider may bill for what it received. */
function mostUsage(sent: Json): Bill {
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

/** What the provider does, and what it bills for that. */
const ENDINGS = ['serves', 'serves', 'serves', 'refuses', 'fails', 'is empty', 'breaks off', 'lies'] as const;

function answer(body: Json): ReturnType<RequestKind['answer']> {
  const ending = pick(ENDINGS);
  const free = (reply: Reply) => ({ reply, bill: 0n });
  if (ending === 'refuses') return free({ status: 400, body: { error: { message: 'Invalid voice' } } });
  if (ending === 'fails') return free({ status: 500, body: { error: { message: 'no' } } });
  const isSpeech = body.input !== undefined;
  const asAudio = { headers: { 'content-type': 'audio/mpeg' } };
  if (ending === 'is empty' && isSpeech) return free({ body: Buffer.alloc(0), ...asAudio });
  // What nobody saw of a text is estimated by the time that it took.
  const usage = { ...mostUsage(body), ...(ending !== 'serves' && { output: 0 }) };
  const bill = costOf(String(body.model), usage);
  const breaksOff = ending === 'breaks off';
  if (isSpeech) return { reply: { body: Buffer.alloc(9_000, 1), ...asAudio, breaksOff }, bill };
  const lies = [{}, { seconds: -1 }, { type: 'tokens', input_tokens: 0 }];
  const shown = ending === 'lies' ? pick(lies) : writeUsage(String(body.model), usage);
  return { reply: { ...writeTranscript(body, shown, breaksOff), breaksOff }, bill };
}

function writeTranscript(body: Json, usage: Json, breaksOff: boolean): Reply {
  if (body.stream === 'true') {
    const delta = { type: 'transcript.text.delta', delta: 'Hello.' };
    const done = { type: 'transcript.text.done', text: 'Hello.', usage };
    return { events: breaksOff ? [delta] : [delta, done] };
  }
  if (body.response_format === 'srt') return { body: '1\n00:00 --> 00:01\nHello.\n' };
  if (body.response_format === 'vtt') return { body: 'WEBVTT\n\n00:00 --> 00:01\nHello.\n' };
  return { body: breaksOff ? '{"text":"Hel' : { text: 'Hello.', usage } };
}

function writeUsage(model: string, { seconds, input, output }: Bill): Json {
  if (PER_TOKEN[model] === undefined)
    return model === 'voxtral-mini-2602' ? { prompt_audio_seconds: seconds } : { type: 'duration', seconds };
  return { type: 'tokens', input_tokens: input, output_tokens: output };
}

function toForm(body: Json): FormData {
  const form = new FormData();
  for (const [name, value] of Object.entries(body)) {
    if (value instanceof UploadedFile) form.append(name, new File([new Uint8Array(value.bytes)], 'a'));
    else if (value != null)
      form.append(name, typeof value === 'object' ? JSON.stringify(value) : String(value));
  }
  return form;
}

const kind = (format: Format): RequestKind => ({
  format,
  path: `/v1/audio/${format}`,
  upstreamModels:
    format === 'speech'
      ? ['tts-1']
      : ['whisper-1', 'gpt-4o-transcribe', 'whisper-large-v3', 'voxtral-mini-2602'],
  write: () => writeRequest(format),
  mostBill: (sent) => costOf(String(sent.model), mostUsage(sent)),
  answer,
  ...(format !== 'speech' && { encode: toForm }),
});

const FORMATS: Format[] = ['speech', 'transcriptions', 'translations'];

test.each(FORMATS)(
  'the hold covers the bill of every request: %s',
  { timeout: 60_000 + 20 * CASES },
  async (format) => checkHolds(kind(format), CASES),
);

test.each(FORMATS)(
  'every bill is charged or recorded as lost: %s',
  { timeout: 60_000 + 900 * SENT },
  async (format) => checkBills(world, kind(format), SENT),
);
