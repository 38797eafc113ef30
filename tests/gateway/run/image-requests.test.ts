import { test } from 'vitest';
import type { Json } from '@/server/gateway/protocols/neutral';
import { seededRandom } from '../../harness/random';
import type { Reply } from '../../harness/scripted-upstream';
import { startClientWorld } from '../clients/world';
import { TOKENIZERS } from '../tokens/tokenizers';
import { checkBills, checkHolds, type RequestKind } from './unit-requests';

/**
 * The dearest and the most lying requests for images, at providers that bill what they publish: the hold covers the bill,
 * and every bill is a charge or a recorded loss.
 */

// Losses by the hundred would pause the user.
process.env.LIMIT_OVERRUN_CREDITS_PER_USER_PER_DAY = '1000000000';
process.env.LIMIT_OVERRUN_CREDITS_PER_APP_PER_DAY = '1000000000';
const world = await startClientWorld({ more: ['XAI', 'GOOGLE'] });
const random = seededRandom();
/** More with CASES=10000. */
const CASES = Number(process.env.CASES ?? 1_500);
const SENT = Number(process.env.SENT ?? 60);

const GPT_IMAGE = 'openai/gpt-image-2';
const GROK = 'xai/grok-imagine-image';
const GEMINI = 'google/gemini-3.1-flash-lite-image';
/** The limit of its output. */
const GEMINI_TOKENS = 4_096;
const REFERENCE = { image_url: 'data:image/png;base64,iVBORw0KGgo=' };

const pick = <Item>(items: readonly Item[]): Item => items[Math.floor(random() * items.length)] as Item;
const upTo = (most: number): number => Math.floor(random() * (most + 1));

/** Text whose tokens are many for their bytes, in every script. */
const writePrompt = (): string =>
  Array.from({ length: 1 + upTo(60) }, () =>
    pick(['the sea ', '灯台', '🦑', 'xq', '\u0001', '  ', 'Zażółć', '0123456789', '"}', 'é', '\n\n']),
  ).join('');

const LIES: readonly [string, readonly unknown[]][] = [
  ['n', [0, -1, 1.5, 1e9, '3', null, [2], { n: 2 }]],
  ['size', ['16x16', '9999x9999', '3856x1600', '1024X1024', '٤x٤', 1024, '', '1e3x1e3', '-16x-16', null]],
  ['quality', ['hd', 'ultra', 'HIGH', 1, null, ['high']]],
  ['prompt', ['', 7, null, ['a'], { text: 'a' }]],
  ['partial_images', [-1, 4, 1e9, '2', null]],
  ['stream', ['true', 1, null]],
  ['images', [[], [{}], 'x', null, [null], Array(99).fill(REFERENCE), { 0: REFERENCE }]],
  ['mask', [7, [], {}, null]],
  ['input_fidelity', ['max', 1, null]],
  ['frame_count', [16]],
  ['complexity', ['high']],
  ['service_tier', ['priority']],
  ['__proto__', [{ n: 10 }]],
];

function writeRequest(isEdit: boolean): Json {
  const step = () => 16 * (20 + upTo(220));
  const body: Json = {
    model: pick([GPT_IMAGE, GPT_IMAGE, GPT_IMAGE, GEMINI, GEMINI, GROK]),
    prompt: writePrompt(),
    ...(random() < 0.8 && { n: 1 + upTo(9) }),
    ...(random() < 0.8 && {
      size: pick([
        'auto',
        '1024x1024',
        '1536x1024',
        '2880x2880',
        '3840x2160',
        '3840x1280',
        `${step()}x${step()}`,
      ]),
    }),
    ...(random() < 0.8 && { quality: pick(['low', 'medium', 'high', 'auto']) }),
    ...(random() < 0.3 && { stream: true, n: 1, partial_images: upTo(3) }),
    ...(isEdit && {
      images: Array.from({ length: 1 + upTo(15) }, () => REFERENCE),
      ...(random() < 0.5 && { mask: REFERENCE }),
      ...(random() < 0.5 && { input_fidelity: pick(['low', 'high']) }),
    }),
  };
  if (random() < 0.4) {
    const [name, values] = pick(LIES);
    body[name] = pick(values);
  }
  return body;
}

/** Image tokens as OpenAI's calculator counts them. */
function honestTokens({ size, quality }: Json): number {
  const [width = 1_024, height = 1_024] = typeof size === 'string' ? size.split('x').map(Number) : [];
  const factor = { low: 16, medium: 48 }[String(quality)] ?? 96;
  const [long, short] = [Math.max(width, height), Math.min(width, height)];
  const rows = Math.floor((2 * factor * short + long) / (2 * long));
  return Math.floor((factor * rows * (2_000_000 + width * height) + 3_999_999) / 4_000_000);
}

type Usage = { text: number; inputImages: number; images: number };

/** The most that the provider may bill for what it received. */
function mostUsage(sent: Json): Usage {
  if (Array.isArray(sent.input)) {
    const inputs = sent.input.length - 1;
    return {
      text: (TOKENIZERS.o200k?.(String(sent.input[inputs].text)) ?? 0) + 6 + 4 * inputs,
      inputImages: 1_120 * inputs,
      images: pick([1_120, GEMINI_TOKENS]),
    };
  }
  const images = Number(sent.n ?? 1);
  const inputs = Array.isArray(sent.images) ? sent.images.length + (sent.mask ? 1 : 0) : 0;
  const partial = sent.stream === true ? 100 * Number(sent.partial_images ?? 0) : 0;
  return {
    text: (TOKENIZERS.o200k?.(String(sent.prompt)) ?? 0) + 6 + 4 * inputs,
    inputImages: 1_536 * inputs,
    images: sent.model === 'gpt-image-2' ? images * (honestTokens(sent) + partial) : images,
  };
}

/** $5, $8 and $30 per million tokens, at Google $0.25, $0.25 and $30, and $0.02 per image, in picocredits. */
const billFor = (model: unknown, { text, inputImages, images }: Usage): bigint => {
  if (model === 'gpt-image-2')
    return BigInt(text) * 500_000_000n + BigInt(inputImages) * 800_000_000n + BigInt(images) * 3_000_000_000n;
  if (model === 'grok-imagine-image') return BigInt(images) * 2_000_000_000_000n;
  return BigInt(text + inputImages) * 25_000_000n + BigInt(images) * 3_000_000_000n;
};

/** What the provider does, and what it bills for that. */
const ENDINGS = ['serves', 'serves', 'serves', 'refuses', 'fails', 'is empty', 'breaks off', 'lies'] as const;

const IMAGE = { b64_json: 'iVBORw0KGgo=' };

/** As Google writes it. */
function writeInteraction({ text, inputImages, images }: Usage, ending: (typeof ENDINGS)[number]): Reply {
  if (ending === 'breaks off')
    return { body: '{"id":"v1_a","steps":[{"type":"model_output"', breaksOff: true };
  const content = [{ type: 'image', mime_type: 'image/png', data: IMAGE.b64_json }];
  const usage = {
    total_input_tokens: text + inputImages,
    input_tokens_by_modality: [{ modality: 'image', tokens: inputImages }],
    total_output_tokens: images,
    output_tokens_by_modality: [{ modality: 'image', tokens: images }],
    total_tokens: text + inputImages + images,
  };
  // One that reports nothing made an image of the usual size.
  const isSilent = ending === 'lies' && images === 1_120;
  return {
    body: {
      id: 'v1_a',
      status: 'completed',
      steps: [{ type: 'thought' }, { type: 'model_output', content }],
      ...(!isSilent && { usage }),
    },
  };
}

function answer(body: Json): ReturnType<RequestKind['answer']> {
  const ending = pick(ENDINGS);
  const free = (status: number, whole: Json) => ({ reply: { status, body: whole }, bill: 0n });
  if (ending === 'refuses')
    return free(400, { error: { message: 'safety system', code: 'moderation_blocked' } });
  if (ending === 'fails') return free(500, { error: { message: 'no' } });
  if (ending === 'is empty') return free(200, { created: 1, data: [] });
  const most = mostUsage(body);
  const bill = billFor(body.model, most);
  const usage = {
    input_tokens: most.text + most.inputImages,
    output_tokens: ending === 'lies' ? 0 : most.images,
    input_tokens_details: { text_tokens: most.text, image_tokens: most.inputImages },
  };
  const breaksOff = ending === 'breaks off';
  if (Array.isArray(body.input)) return { reply: writeInteraction(most, ending), bill };
  if (body.stream === true) {
    const partial = { type: 'image_generation.partial_image', ...IMAGE };
    const completed = { type: 'image_generation.completed', ...IMAGE, usage };
    return { reply: { events: breaksOff ? [partial] : [partial, completed], breaksOff }, bill };
  }
  const data = Array.from({ length: Number(body.n ?? 1) }, () => IMAGE);
  const whole = { created: 1, data, ...(body.model === 'gpt-image-2' && { usage }) };
  return { reply: { body: breaksOff ? '{"created":1,"data":[{"b64_json":"iVBO' : whole, breaksOff }, bill };
}

const kind = (format: 'images' | 'image-edits', path: string): RequestKind => ({
  format,
  path,
  upstreamModels: ['gpt-image-2', 'grok-imagine-image', 'gemini-3.1-flash-lite-image'],
  write: () => writeRequest(format === 'image-edits'),
  mostBill: (sent) => billFor(sent.model, mostUsage(sent)),
  answer,
});

const KINDS: [string, RequestKind][] = [
  ['images', kind('images', '/v1/images/generations')],
  ['edits', kind('image-edits', '/v1/images/edits')],
];

test.each(KINDS)(
  'the hold covers the bill of every request: %s',
  { timeout: 60_000 + 20 * CASES },
  async (_, each) => checkHolds(each, CASES),
);

test.each(KINDS)(
  'every bill is charged or recorded as lost: %s',
  { timeout: 60_000 + 900 * SENT },
  async (_, each) => checkBills(world, each, SENT),
);
