import type { ServerResponse } from 'node:http';
import { expect, test } from 'vitest';
import { chargeFor, type Picocredits } from '@/server/base/credits';
import { pool } from '@/server/base/db';
import { ApiError } from '@/server/base/errors';
import { atResolution, findCatalogModel } from '@/server/gateway/pricing/catalog';
import { measureDocuments } from '@/server/gateway/protocols/measure-size';
import type { Json } from '@/server/gateway/protocols/neutral';
import { videosProtocol } from '@/server/gateway/protocols/videos/protocol';
import { xaiVideos } from '@/server/gateway/providers/videos/xai';
import { resolveCandidates } from '@/server/gateway/run/candidates';
import { planRequest } from '@/server/gateway/run/plan';
import { checkLedger } from '@/server/ledger';
import { newPerson } from '../../harness/people';
import { seededRandom } from '../../harness/random';
import { lookNow, pass, send, startVideoWorld } from './video-world';

/**
 * The dearest and the most lying requests for videos, at a provider that bills what it publishes: the hold covers the
 * bill, and every bill is a charge or a recorded loss.
 */

// Losses by the hundred would pause the user.
process.env.LIMIT_OVERRUN_CREDITS_PER_USER_PER_DAY = '1000000000';
process.env.LIMIT_OVERRUN_CREDITS_PER_APP_PER_DAY = '1000000000';
process.env.LIMIT_REQUESTS_PER_KEY_PER_MINUTE = '0';
const { provider, start } = await startVideoWorld();
const random = seededRandom();
/** More with CASES=10000. */
const CASES = Number(process.env.CASES ?? 10_000);
const SENT = Number(process.env.SENT ?? 120);

const pick = <Item>(items: readonly Item[]): Item => items[Math.floor(random() * items.length)] as Item;

/** USD a second by resolution, and for an image, in picocredits. */
const PRICES: Record<string, Record<string, bigint>> = {
  'grok-imagine-video': { '480p': 5n, '720p': 7n, image: 2n },
  'grok-imagine-video-1.5': { '480p': 8n, '720p': 14n, '1080p': 25n, image: 10n },
  'grok-imagine-video-1.5-lite': { '480p': 2n, '720p': 3n, '1080p': 14n, image: 10n },
};
const MODELS = Object.keys(PRICES);
const CENT = 1_000_000_000_000n;

const LIES: readonly [string, readonly unknown[]][] = [
  ['seconds', [0, -4, 16, 4.5, '4.5', '1e9', '٤', '', null, [4], { seconds: 4 }, true, '0x4', ' 4', 1e300]],
  ['size', ['16x16', '3840x2160', '1280X720', 1280, '', null, ['1280x720'], 'constructor', '__proto__']],
  ['prompt', ['', 7, null, ['a'], { text: 'a' }]],
  [
    'input_reference',
    [{}, 'x', [], { image_url: 'file:///etc/passwd' }, { image_url: 'http://a' }, null, { file_id: 'a' }],
  ],
  ['resolution', ['1080p']],
  ['duration', [15]],
  ['n', [9]],
  ['aspect_ratio', ['1:1']],
  ['video', [{ url: 'https://example.com/a.mp4' }]],
  ['__proto__', [{ seconds: 15 }]],
];

function writeRequest(): Json {
  const body: Json = {
    model: `xai/${pick(MODELS)}`,
    prompt: pick(['The sea', '灯台', '🦑'.repeat(40), '\u0001"}']),
    ...(random() < 0.8 && { seconds: pick([1, 4, 8, 15, '1', '12', '15']) }),
    ...(random() < 0.8 && {
      size: pick(['854x480', '480x480', '1280x720', '720x720', '1920x1080', '1080x1920']),
    }),
    ...(random() < 0.4 && { input_reference: { image_url: 'https://example.com/a.png' } }),
  };
  if (random() < 0.4) {
    const [name, values] = pick(LIES);
    body[name] = pick(values);
  }
  return body;
}

/** What the provider bills for what it received: the image is a fifth of a cent or a whole one. */
function billFor({ model, duration, resolution, image }: Json, seconds = Number(duration)): bigint {
  const prices = PRICES[String(model)] ?? {};
  const perSecond = prices[String(resolution)];
  if (perSecond === undefined) throw new Error(`${model} has no ${resolution}`);
  return (
    BigInt(seconds) * perSecond * CENT + (image === undefined ? 0n : ((prices.image ?? 0n) * CENT) / 10n)
  );
}

async function planAndWrite(body: Json): Promise<{ want: bigint; sent: Json } | null> {
  const candidates = resolveCandidates(String(body.model));
  if (candidates === null) throw new Error(`${body.model} is not served`);
  const [candidate] = candidates;
  try {
    const client = videosProtocol.validate(body);
    const resolution = videosProtocol.resolution?.(client);
    const model = resolution && atResolution(candidate.model, resolution);
    if (!model) return null;
    const measure = await measureDocuments(videosProtocol.measure(client));
    const { want } = planRequest(videosProtocol as never, client, [{ ...candidate, model }], measure);
    const { profile } = candidate;
    const { id, upstreamModel } = model;
    const sent = xaiVideos.write(client.body, { profile, id, upstreamModel, userHash: 'u' });
    return { want, sent };
  } catch (error) {
    if (error instanceof ApiError && error.status === 400 && error.message !== '') return null;
    throw error;
  }
}

test('the hold covers the bill of every request for a video', { timeout: 60_000 + 20 * CASES }, async () => {
  let held = 0;
  for (let n = 0; n < CASES; n++) {
    const request = writeRequest();
    const planned = await planAndWrite(request);
    if (planned === null) continue;
    held++;
    const bill = billFor(planned.sent);
    if (planned.want < bill)
      throw new Error(
        `A hold of ${planned.want} does not cover a bill of ${bill}: ${JSON.stringify(request)}`,
      );
  }
  expect(held).toBeGreaterThan(CASES / 4);
  expect(findCatalogModel('xai/grok-imagine-video')?.ofResolutions.size).toBe(2);
});

/** $0.05. */
const REFUSAL_FEE = 5_000_000_000_000n;

/** What the provider does at the start, and when it is asked. */
const STARTS = ['accepts', 'accepts', 'accepts', 'accepts', 'refuses', 'fails', 'breaks off'] as const;
const ENDS = [
  'serves',
  'serves',
  'serves',
  'reports its cost',
  'says less',
  'fails',
  'withholds',
  'never ends',
] as const;

test('every bill is charged or recorded as lost', { timeout: 120_000 + 1_000 * SENT }, async () => {
  const person = await newPerson({ credits: 50_000_000, rateBp: 2_500 });
  let billed = 0n;
  let billedUnseen = 0n;
  let jobs = 0;
  const states = new Map<string, (response: ServerResponse) => void>();
  provider.onStart = (response) => {
    const sent = provider.started.at(-1) ?? {};
    const began = pick(STARTS);
    if (began === 'refuses') return send(response, { error: { message: 'size: is wrong' } }, 400);
    if (began === 'fails') return send(response, { error: { message: 'no' } }, 500);
    const bill = billFor(sent);
    if (began === 'breaks off') {
      billedUnseen += bill;
      return void response.destroy();
    }
    const id = `job-${++jobs}`;
    const ended = pick(ENDS);
    // What nobody reports is lost at the most that it may cost, which a refusal may exceed.
    const isUnknown = ended === 'fails' || ended === 'never ends';
    billed += isUnknown && bill < REFUSAL_FEE ? REFUSAL_FEE : bill;
    const video = { url: `${provider.url}/files/a.mp4`, duration: Number(sent.duration) };
    const usage = { cost_in_usd_ticks: Number(bill / 10_000n) };
    const done = (more: Json) => provider.done({ video, ...more });
    states.set(id, (reading) => {
      if (ended === 'serves') return send(reading, done({}));
      if (ended === 'reports its cost') return send(reading, done({ usage }));
      if (ended === 'says less') return send(reading, done({ video: { ...video, duration: 'none' } }));
      if (ended === 'fails') return send(reading, { status: 'failed', error: { code: 'internal_error' } });
      if (ended === 'withholds')
        return send(reading, done({ usage, video: { ...video, respect_moderation: false } }));
      return send(reading, { status: 'pending' });
    });
    return send(response, { request_id: id });
  };
  provider.onRead = (response, request) => {
    const id = request.url?.split('/').at(-1) ?? '';
    const state = states.get(id);
    if (state === undefined) throw new Error(`nobody started ${id}`);
    state(response);
  };
  for (let n = 0; n < SENT; n++) {
    const response = await start(person, writeRequest());
    expect([200, 400, 429, 502], await response.text()).toContain(response.status);
    if (n % 5 === 4) await lookNow();
  }
  await lookNow();
  pass(40 * 60);
  await lookNow();
  const { rows } = await pool().query<
    Record<'cost' | 'lost' | 'unseen', bigint> & Record<'wrong' | 'holds', number>
  >(
    `SELECT (SELECT coalesce(sum(provider_cost), 0)::bigint FROM usage WHERE user_id = $1) AS cost,
       (SELECT count(*)::int FROM usage WHERE user_id = $1 AND charge > held) AS wrong,
       (SELECT count(*)::int FROM hold WHERE user_id = $1) AS holds,
       coalesce(sum(cost) FILTER (WHERE reason <> 'connection_lost'), 0)::bigint AS lost,
       coalesce(sum(cost) FILTER (WHERE reason = 'connection_lost'), 0)::bigint AS unseen
     FROM provider_loss WHERE user_id = $1`,
    [person.userId],
  );
  const { cost = 0n, wrong, holds, lost = 0n, unseen = 0n } = rows[0] ?? {};
  const inMicrocredits = (exact: bigint) => chargeFor(exact as Picocredits, 0).providerCost;
  expect(jobs).toBeGreaterThan(SENT / 5);
  expect([wrong, holds]).toEqual([0, 0]);
  expect(cost + lost).toBe(inMicrocredits(billed));
  // A request may not have reached the provider before its connection broke.
  expect(unseen).toBeGreaterThanOrEqual(inMicrocredits(billedUnseen));
  expect((await checkLedger()).differences).toEqual([]);
});
