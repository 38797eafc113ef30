import { expect, test } from 'vitest';
import type { Picocredits } from '@/server/base/credits';
import { chargeFor } from '@/server/base/credits';
import { pool } from '@/server/base/db';
import { ApiError } from '@/server/base/errors';
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
 * The dearest and the most lying requests for images, at providers that bill what they publish: the hold covers the bill,
 * and every bill is a charge or a recorded loss.
 */

// Losses by the hundred would pause the user.
process.env.LIMIT_OVERRUN_CREDITS_PER_USER_PER_DAY = '1000000000';
process.env.LIMIT_OVERRUN_CREDITS_PER_APP_PER_DAY = '1000000000';
const { url, upstream } = await startClientWorld({ more: ['XAI'] });
const random = seededRandom();
/** More with CASES=10000. */
const CASES = Number(process.env.CASES ?? 3_000);
const SENT = Number(process.env.SENT ?? 100);

const GPT_IMAGE = 'openai/gpt-image-2';
const GROK = 'xai/grok-imagine-image';
const IMAGE = { image_url: 'data:image/png;base64,iVBORw0KGgo=' };

const pick = <Item>(items: readonly Item[]): Item => items[Math.floor(random() * items.length)] as Item;
const upTo = (most: number): number => Math.floor(random() * (most + 1));

type Sent = { path: 'generations' | 'edits'; body: Json };

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
  ['images', [[], [{}], 'x', null, [null], Array(99).fill(IMAGE), { 0: IMAGE }]],
  ['mask', [7, [], {}, null]],
  ['input_fidelity', ['max', 1, null]],
  ['frame_count', [16]],
  ['complexity', ['high']],
  ['service_tier', ['priority']],
  ['__proto__', [{ n: 10 }]],
];

function writeRequest(): Sent {
  const path = random() < 0.4 ? 'edits' : 'generations';
  const step = () => 16 * (20 + upTo(220));
  const body: Json = {
    model: random() < 0.85 ? GPT_IMAGE : GROK,
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
    ...(path === 'edits' && {
      images: Array.from({ length: 1 + upTo(15) }, () => IMAGE),
      ...(random() < 0.5 && { mask: IMAGE }),
      ...(random() < 0.5 && { input_fidelity: pick(['low', 'high']) }),
    }),
  };
  if (random() < 0.4) {
    const [name, values] = pick(LIES);
    body[name] = pick(values);
  }
  return { path, body };
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
  const images = Number(sent.n ?? 1);
  const inputs = Array.isArray(sent.images) ? sent.images.length + (sent.mask ? 1 : 0) : 0;
  const partial = sent.stream === true ? 100 * Number(sent.partial_images ?? 0) : 0;
  return {
    text: (TOKENIZERS.o200k?.(String(sent.prompt)) ?? 0) + 6 + 4 * inputs,
    inputImages: 1_536 * inputs,
    images: sent.model === 'gpt-image-2' ? images * (honestTokens(sent) + partial) : images,
  };
}

/** $5, $8 and $30 per million tokens, $0.02 per image, in picocredits. */
const billFor = (model: unknown, { text, inputImages, images }: Usage): bigint =>
  model === 'gpt-image-2' || model === GPT_IMAGE
    ? BigInt(text) * 500_000_000n + BigInt(inputImages) * 800_000_000n + BigInt(images) * 3_000_000_000n
    : BigInt(images) * 2_000_000_000_000n;

async function planAndPrepare({ path, body }: Sent): Promise<{ want: bigint; sent: Json } | null> {
  const protocol = CLIENT_PROTOCOLS[path === 'edits' ? 'image-edits' : 'images'];
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
      outputCap: plan.outputCap,
      clientHeaders: {},
      newId: () => 'id',
      created: 1,
      estimate: () => NO_TOKENS,
    });
    return { want: plan.want, sent: exchange.body as Json };
  } catch (error) {
    if (error instanceof ApiError && error.status === 400 && error.message !== '') return null;
    throw error;
  }
}

test('the hold covers the bill of every request for images', { timeout: 60_000 + 20 * CASES }, async () => {
  let held = 0;
  for (let n = 0; n < CASES; n++) {
    const request = writeRequest();
    const planned = await planAndPrepare(request);
    if (planned === null) continue;
    held++;
    const bill = billFor(planned.sent.model, mostUsage(planned.sent));
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
  const answer = (body: Json): Reply => {
    sent++;
    const ending = pick(ENDINGS);
    const most = mostUsage(body);
    if (ending === 'refuses')
      return { status: 400, body: { error: { message: 'safety system', code: 'moderation_blocked' } } };
    if (ending === 'fails') return { status: 500, body: { error: { message: 'no' } } };
    if (ending === 'is empty') return { body: { created: 1, data: [] } };
    billed += billFor(body.model, most);
    const usage = {
      input_tokens: most.text + most.inputImages,
      output_tokens: ending === 'lies' ? 0 : most.images,
      input_tokens_details: { text_tokens: most.text, image_tokens: most.inputImages },
    };
    const image = { b64_json: 'iVBORw0KGgo=' };
    const breaksOff = ending === 'breaks off';
    if (body.stream === true) {
      const events = [
        { type: 'image_generation.partial_image', ...image },
        ...(breaksOff ? [] : [{ type: 'image_generation.completed', ...image, usage }]),
      ];
      return { events, breaksOff };
    }
    const data = Array.from({ length: Number(body.n ?? 1) }, () => image);
    return {
      body: breaksOff
        ? '{"created":1,"data":[{"b64_json":"iVBO'
        : { created: 1, data, ...(body.model === 'gpt-image-2' && { usage }) },
      breaksOff,
    };
  };
  for (const name of ['gpt-image-2', 'grok-imagine-image']) upstream.script(name, answer);
  for (let n = 0; n < SENT; n++) {
    const { path, body } = writeRequest();
    const response = await fetch(`${url}/v1/images/${path}`, {
      method: 'POST',
      headers: { authorization: `Bearer ${person.userKey}`, 'content-type': 'application/json' },
      body: JSON.stringify(body),
    });
    const text = await response.text();
    expect([200, 400, 502, 503, 429], text).toContain(response.status);
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
  const { charge: due } = chargeFor(billed as Picocredits, 0);
  expect(recorded).toBeGreaterThanOrEqual(due);
});

async function countHolds(userId: string): Promise<number> {
  const { rows } = await pool().query<{ count: number }>(
    'SELECT count(*)::int AS count FROM hold WHERE user_id = $1 AND NOT kept',
    [userId],
  );
  return rows[0]?.count ?? 0;
}
