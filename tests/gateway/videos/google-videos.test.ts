import type { IncomingMessage, ServerResponse } from 'node:http';
import { afterAll, beforeEach, describe, expect, test } from 'vitest';
import { listenOnLoopback, readBody } from '@/sandbox/loopback-server';
import { chargeFor, type Picocredits } from '@/server/base/credits';
import { pool } from '@/server/base/db';
import type { Json } from '@/server/gateway/protocols/neutral';
import { endVideo } from '@/server/gateway/run/videos/end-video';
import { claimDueJobs, type JobRow } from '@/server/gateway/run/videos/job-store';
import { checkLedger } from '@/server/ledger';
import type { Person } from '../../harness/people';
import { seededRandom } from '../../harness/random';
import { type Answer, answer, bookedOf, FILM, lookNow, pass, send, startVideoWorld } from './video-world';

/**
 * Videos of Google's Interactions API: the hold covers what it may bill, and the tokens that it reports are charged.
 * Shapes and counts are those of recorded responses, of which `@google/genai` has the types.
 */

process.env.LIMIT_OVERRUN_CREDITS_PER_USER_PER_DAY = '1000000000';
process.env.LIMIT_OVERRUN_CREDITS_PER_APP_PER_DAY = '1000000000';
process.env.LIMIT_REQUESTS_PER_KEY_PER_MINUTE = '0';
process.env.DATA_AGREEMENTS = 'google:no_retention';

const OMNI = 'google/gemini-omni-1.2-flash';
const KEY = 'key-of-the-operator';
const SENT = Number(process.env.SENT ?? 120);

/** A pixel. */
const PNG =
  'iVBORw0KGgoAAAANSUhEUgAAAAEAAAABCAYAAAAfFcSJAAAADUlEQVR42mNk+M9QDwADhgGAWjR9awAAAABJRU5ErkJggg==';

type Call = { method: string; path: string; headers: IncomingMessage['headers']; body: Json };
const google = {
  calls: [] as Call[],
  url: '',
  onStart: answer({}),
  onRead: answer({}),
  onFileState: answer({}),
  onFile: answer({}),
};
const server = await listenOnLoopback(async (request, response) => {
  const { method = '', url: path = '', headers } = request;
  const text = await readBody(request);
  google.calls.push({ method, path, headers, body: text === '' ? {} : (JSON.parse(text) as Json) });
  if (method === 'POST') return google.onStart(response, request);
  if (path.includes(':download')) return google.onFile(response, request);
  return path.includes('/files/') ? google.onFileState(response, request) : google.onRead(response, request);
});
afterAll(() => server.close());
google.url = server.url;
process.env.GOOGLE_API_KEY = KEY;
process.env.GOOGLE_BASE_URL = `${server.url}/v1beta/openai`;
const { url, start: startAny, read, newBuyer } = await startVideoWorld();

const start = (person: Person, body: Json = {}, headers = {}) =>
  startAny(person, { model: OMNI, seconds: 10, ...body }, headers);
const startJob = async (person: Person, body: Json = {}): Promise<string> =>
  (await (await start(person, body)).json()).id;
const stateOf = async (person: Person, id: string) => (await read(person, `/${id}`)).json();

/** As Google reported ten seconds at 720p. */
const USAGE = {
  total_tokens: 59_244,
  total_input_tokens: 13,
  input_tokens_by_modality: [{ modality: 'text', tokens: 13 }],
  total_cached_tokens: 0,
  total_output_tokens: 58_865,
  output_tokens_by_modality: [{ modality: 'video', tokens: 57_920 }],
  total_tool_use_tokens: 0,
  total_thought_tokens: 366,
};
const THOUGHT = { type: 'thought', signature: 'A'.repeat(1_700_000) };
const output = (...content: Json[]): Json => ({ type: 'model_output', content });
const fileUrl = (): string => `${google.url}/v1beta/files/film1:download?alt=media`;
const video = (): Json => ({ type: 'video', mime_type: 'video/mp4', uri: fileUrl() });
const interaction = (more: Json): Json => ({
  id: 'v1_job',
  object: 'interaction',
  status: 'completed',
  ...more,
});
const done = (more: Json = {}): Json =>
  interaction({ steps: [THOUGHT, output(video())], usage: USAGE, ...more });

/** 13 tokens at $1.50 per million, 945 and 366 at $9, and 57,920 at $12. */
const COST = 70_685_850n;
const CHARGED = {
  receipts: [{ provider_cost: COST, charge: 88_357_313n }],
  losses: [],
  holds: 0,
  running: 0,
};
/** The most: 57,920 at $12, 65,536 at $9, and the prompt. */
const HELD_FOR_OUTPUT = 57_920n * 1_200n + 65_536n * 900n;

beforeEach(() => {
  google.calls = [];
  google.onStart = answer(interaction({ status: 'in_progress' }));
  google.onRead = answer(done());
  google.onFileState = answer({ name: 'files/film1', state: 'ACTIVE' });
  google.onFile = (response) => {
    response.writeHead(200, { 'content-type': 'video/mp4', 'content-length': FILM.length });
    response.end(FILM);
  };
});

test('Google receives the request in its own format, with the key in its own header', async () => {
  const id = await startJob(await newBuyer(), { size: '720x1280' });
  expect(id).toMatch(/^video_/);
  expect(google.calls).toHaveLength(1);
  const [{ method, path, headers, body }] = google.calls as [Call];
  expect([method, path]).toEqual(['POST', '/v1beta/interactions']);
  expect([headers['x-goog-api-key'], headers.authorization]).toEqual([KEY, undefined]);
  expect(body).toEqual({
    model: 'gemini-omni-1.2-flash',
    input: [{ type: 'text', text: 'A lighthouse' }],
    response_format: {
      type: 'video',
      delivery: 'uri',
      aspect_ratio: '9:16',
      resolution: '720p',
      duration: '10s',
    },
    background: true,
    store: true,
  });
  await lookNow();
});

test('an image is where the video begins', async () => {
  await startJob(await newBuyer(), {
    input_reference: { image_url: `data:image/jpeg;base64,${PNG}` },
  });
  expect(google.calls[0]?.body).toMatchObject({
    input: [
      { type: 'image', data: PNG, mime_type: 'image/png' },
      { type: 'text', text: 'A lighthouse' },
    ],
    generation_config: { video_config: { task: 'image_to_video' } },
  });
  await lookNow();
});

test('a video is charged what its tokens cost, and its file is read with our key', async () => {
  const buyer = await newBuyer();
  const id = await startJob(buyer);
  const { rows } = await pool().query('SELECT amount FROM hold WHERE user_id = $1', [buyer.userId]);
  // With a commission of 25%.
  expect(rows[0].amount).toBeGreaterThan((HELD_FOR_OUTPUT * 125n) / 100n);
  expect(rows[0].amount).toBeLessThan((HELD_FOR_OUTPUT * 126n) / 100n);
  google.onRead = answer(interaction({ status: 'in_progress' }));
  await lookNow();
  expect(await stateOf(buyer, id)).toMatchObject({ status: 'in_progress', usage: null });
  google.onRead = answer(done());
  await lookNow();
  expect(await bookedOf(buyer)).toMatchObject(CHARGED);
  const { rows: receipts } = await pool().query(
    'SELECT input_tokens, output_tokens, reasoning_tokens, output_units, estimated FROM usage WHERE user_id = $1',
    [buyer.userId],
  );
  expect(receipts).toMatchObject([
    { input_tokens: 13, output_tokens: 1_311, reasoning_tokens: 366, output_units: 57_920, estimated: false },
  ]);
  expect(await stateOf(buyer, id)).toMatchObject({ status: 'completed', usage: { cost: 0.88357313 } });
  const film = await read(buyer, `/${id}/content`);
  expect(Buffer.from(await film.arrayBuffer())).toEqual(FILM);
  expect(google.calls.at(-1)).toMatchObject({
    path: '/v1beta/files/film1:download?alt=media',
    headers: { 'x-goog-api-key': KEY },
  });
});

test('a video is complete once Google has processed its file', async () => {
  const buyer = await newBuyer();
  const id = await startJob(buyer);
  google.onFileState = answer({ name: 'files/film1', state: 'PROCESSING' });
  await lookNow();
  await lookNow();
  expect(await stateOf(buyer, id)).toMatchObject({ status: 'in_progress', progress: 99 });
  expect(google.calls.at(-1)).toMatchObject({
    path: '/v1beta/files/film1',
    headers: { 'x-goog-api-key': KEY },
  });
  google.onFileState = answer({ name: 'files/film1', state: 'ACTIVE' });
  await lookNow();
  expect(await stateOf(buyer, id)).toMatchObject({ status: 'completed' });
  expect(await bookedOf(buyer)).toMatchObject(CHARGED);
});

test.each<[string, Answer]>([
  ['cannot be read', answer({ error: { code: 403, status: 'PERMISSION_DENIED' } }, 403)],
  ['is unknown', answer({ name: 'files/film1' })],
  ['is never sent', (response) => response.destroy()],
])('a video whose state of the file %s is complete', async (_, state) => {
  const buyer = await newBuyer();
  await startJob(buyer);
  google.onFileState = state;
  await lookNow();
  expect(await bookedOf(buyer)).toMatchObject(CHARGED);
});

const lost = (reason: string, cost: bigint, isEstimated: boolean) => ({
  receipts: [],
  losses: [{ reason, cost, is_estimated: isEstimated }],
  holds: 0,
  running: 0,
});

const REFUSAL = {
  total_input_tokens: 13,
  total_output_tokens: 100,
  total_thought_tokens: 20,
  total_tokens: 133,
};

describe('a video that fails costs the user nothing, and its bill is recorded', () => {
  test.each<[string, Json, string, unknown]>([
    [
      'withheld with a text',
      {
        steps: [output({ type: 'text', text: 'I cannot.' })],
        usage: { ...REFUSAL, output_tokens_by_modality: [] },
      },
      'moderation_blocked',
      lost('failed_response', 109_950n, false),
    ],
    [
      'made, but nowhere',
      { steps: [], usage: USAGE },
      'upstream_error',
      lost('failed_response', COST, false),
    ],
    [
      'at another host',
      { steps: [output({ ...video(), uri: 'https://example.com/v1beta/files/a:download' })] },
      'upstream_error',
      lost('failed_response', COST, false),
    ],
    [
      'the one of the input',
      { steps: [{ type: 'user_input', content: [{ type: 'video', uri: 'http://localhost/a' }] }] },
      'upstream_error',
      lost('failed_response', COST, false),
    ],
  ])('%s', async (_, more, code, booked) => {
    const buyer = await newBuyer();
    const id = await startJob(buyer);
    google.onRead = answer(done(more));
    await lookNow();
    expect(await stateOf(buyer, id)).toMatchObject({ status: 'failed', error: { code }, usage: { cost: 0 } });
    expect(await bookedOf(buyer)).toEqual(booked);
    expect(google.calls.filter(({ path }) => path.includes('/files/'))).toEqual([]);
  });

  test('whose file Google could not process', async () => {
    const buyer = await newBuyer();
    const id = await startJob(buyer);
    google.onFileState = answer({ name: 'files/film1', state: 'FAILED', error: { code: 13 } });
    await lookNow();
    expect(await stateOf(buyer, id)).toMatchObject({ status: 'failed', error: { code: 'upstream_error' } });
    expect(await bookedOf(buyer)).toEqual(lost('failed_response', COST, false));
    expect((await read(buyer, `/${id}/content`)).status).toBe(404);
  });

  test.each([
    'failed',
    'cancelled',
    'incomplete',
    'budget_exceeded',
    'requires_action',
    'requires_continuation',
  ])('with the status %s', async (status) => {
    const buyer = await newBuyer();
    const id = await startJob(buyer);
    const message = 'Quota of project my-project-123 is used up: AIzaSyA1234567890abcdef';
    google.onRead = answer(interaction({ status, error: { code: 'too_many_requests', message } }));
    await lookNow();
    const { error } = await stateOf(buyer, id);
    expect(error.message).not.toMatch(/AIza/);
    const { losses, receipts, holds } = await bookedOf(buyer);
    expect([receipts, holds]).toEqual([[], 0]);
    expect(losses).toMatchObject([{ reason: 'failed_job', is_estimated: true }]);
    expect((losses[0] as { cost: bigint }).cost).toBeGreaterThan(HELD_FOR_OUTPUT);
  });
});

describe('a provider that lies', () => {
  test.each<[string, Json]>([
    ['nothing', {}],
    ['no modalities', { ...USAGE, output_tokens_by_modality: undefined }],
    ['a negative count', { ...USAGE, output_tokens_by_modality: [{ modality: 'video', tokens: -5 }] }],
    ['fractions', { ...USAGE, total_output_tokens: 5.5 }],
    ['endless tokens', { ...USAGE, total_output_tokens: 1e300 }],
    [
      'more than the ledger can store, in many parts',
      { ...USAGE, output_tokens_by_modality: Array(60).fill({ modality: 'video', tokens: 100_000_000 }) },
    ],
  ])('is paid for the length that was requested if it reports %s', async (_, usage) => {
    const buyer = await newBuyer();
    await startJob(buyer);
    google.onRead = answer(done({ usage }));
    await lookNow();
    expect((await bookedOf(buyer)).receipts).toMatchObject([
      { provider_cost: 57_920n * 1_200n, output_units: 57_920, estimated: true },
    ]);
  });

  test('is paid at most the hold if it reports more video', async () => {
    const buyer = await newBuyer();
    await startJob(buyer);
    const tokens = 5_000_000;
    google.onRead = answer(
      done({
        usage: { total_output_tokens: tokens, output_tokens_by_modality: [{ modality: 'VIDEO', tokens }] },
      }),
    );
    await lookNow();
    const { receipts, holds } = await bookedOf(buyer);
    const [{ charge, held }] = receipts as [{ charge: bigint; held: bigint }];
    expect([charge, holds]).toEqual([held, 0]);
  });

  test.each<[string, Answer]>([
    ['the state of another job', answer(done({ id: 'v1_other' }))],
    ['a list of errors', answer([{ error: { code: 400, message: 'Invalid' } }], 400)],
    ['a status that nobody knows', answer(interaction({ status: 'dreaming' }))],
    ['no JSON', answer('<html>')],
  ])('is asked again if it sends %s', async (_, lie) => {
    const buyer = await newBuyer();
    const id = await startJob(buyer);
    google.onRead = lie;
    await lookNow();
    expect((await stateOf(buyer, id)).status).toBe('queued');
    google.onRead = answer(done());
    await lookNow();
    expect(await bookedOf(buyer)).toMatchObject(CHARGED);
  });

  test('gets our key neither for another origin nor by a redirect', async () => {
    const buyer = await newBuyer();
    const id = await startJob(buyer);
    await lookNow();
    // The operator has changed the address of the API since.
    const other = await startJob(buyer);
    pass(20);
    const [job] = await claimDueJobs(1);
    const keys: unknown[] = [];
    const stranger = await listenOnLoopback(async (request, response) => {
      keys.push(request.headers['x-goog-api-key'], request.headers.authorization);
      response.writeHead(200, { 'content-type': 'video/mp4' }).end(FILM);
    });
    const elsewhere = {
      url: `${stranger.url}/v1beta/files/a:download`,
      seconds: 10,
      cost: null,
      usage: null,
    };
    await endVideo(job as JobRow, elsewhere);
    expect((await read(buyer, `/${other}/content`)).status).toBe(200);
    expect(keys).toEqual([undefined, undefined]);
    await stranger.close();
    google.onFile = (response) =>
      response.writeHead(302, { location: `${google.url}/v1beta/files/stolen` }).end();
    expect((await read(buyer, `/${id}/content`)).status).toBe(502);
    expect(google.calls.filter(({ path }) => path.includes('stolen'))).toEqual([]);
  });
});

test.each<[string, Json, string]>([
  ['a square', { size: '720x720' }, 'size'],
  ['480p', { size: '854x480' }, 'size'],
  ['1080p', { size: '1920x1080' }, 'size'],
  ['two seconds', { seconds: 2 }, 'seconds'],
  [
    'the URL of an image',
    { input_reference: { image_url: 'https://example.com/a.png' } },
    'input_reference.image_url',
  ],
])('%s is refused before Google is called, and nothing stays held', async (_, body, param) => {
  const buyer = await newBuyer();
  const response = await start(buyer, body);
  expect(response.status).toBe(400);
  expect((await response.json()).error).toMatchObject({ param });
  expect(google.calls).toEqual([]);
  expect(await bookedOf(buyer)).toEqual({ receipts: [], losses: [], holds: 0, running: 0 });
});

test.each<[string, Json, number]>([
  [
    'a refusal',
    [{ error: { code: 400, message: 'Invalid duration', status: 'INVALID_ARGUMENT' } }] as never,
    400,
  ],
  ['an error of the front end', { error: { code: 401, status: 'UNAUTHENTICATED', message: 'API key' } }, 401],
])('%s at the start is free', async (_, body, status) => {
  const buyer = await newBuyer();
  google.onStart = answer(body, status);
  expect((await start(buyer)).status).toBeGreaterThanOrEqual(400);
  expect(await bookedOf(buyer)).toEqual({ receipts: [], losses: [], holds: 0, running: 0 });
  google.onStart = answer(interaction({ status: 'in_progress' }));
});

test('the price of a resolution is that of one token, as the price of the unit is', async () => {
  const { data } = await (await fetch(`${url}/v1/models`)).json();
  expect(data.find(({ id }: { id: string }) => id === OMNI).pricing).toMatchObject({
    output_unit: { kind: 'video_token', usd: '0.000012' },
    resolutions: { '720p': '0.000012' },
  });
});

test('Google stores the video, so the model never meets no_retention', async () => {
  const { data } = await (await fetch(`${url}/v1/models`)).json();
  const rulesOf = (test: (id: string) => boolean) =>
    data.find(({ id }: { id: string }) => id.startsWith('google/') && test(id)).data_rules;
  expect(rulesOf((id) => id !== OMNI)).toContain('no_retention');
  expect(rulesOf((id) => id === OMNI)).not.toContain('no_retention');
});

const random = seededRandom();
const pick = <Item>(items: readonly Item[]): Item => items[Math.floor(random() * items.length)] as Item;

test('every bill is charged or recorded as lost', { timeout: 120_000 + 1_000 * SENT }, async () => {
  const buyer = await newBuyer(50_000_000);
  const states = new Map<string, Json>();
  let billed = 0n;
  const price = ({ input, text, video: ofVideo }: Record<'input' | 'text' | 'video', number>): bigint =>
    chargeFor(
      (BigInt(input) * 150_000_000n +
        BigInt(text) * 900_000_000n +
        BigInt(ofVideo) * 1_200_000_000n) as Picocredits,
      0,
    ).providerCost;
  google.onStart = (response: ServerResponse) => {
    const sent = google.calls.at(-1)?.body as {
      response_format: { duration: string };
      input: { text?: string }[];
    };
    const began = pick(['accepts', 'accepts', 'accepts', 'refuses']);
    if (began === 'refuses') return send(response, { error: { message: 'Invalid prompt', code: 400 } }, 400);
    const id = `v1_${states.size}`;
    const ofVideo = 5_792 * Number.parseInt(sent.response_format.duration, 10);
    const [thoughts, text, input] = [pick([0, 366, 20_000]), pick([0, 945, 40_000]), pick([3, 13])];
    const ended = pick(['makes it', 'makes it', 'withholds it', 'loses it']);
    const made = ended === 'withholds it' ? 0 : ofVideo;
    billed += price({ input, text: text + thoughts, video: made });
    const usage = {
      total_input_tokens: input,
      total_output_tokens: made + text,
      total_thought_tokens: thoughts,
      total_tokens: input + made + text + thoughts,
      output_tokens_by_modality: made === 0 ? [] : [{ modality: 'video', tokens: made }],
    };
    states.set(id, done({ id, usage, steps: ended === 'makes it' ? [output(video())] : [] }));
    return send(response, interaction({ id, status: 'queued' }));
  };
  google.onRead = (response, request) => send(response, states.get(request.url?.split('/').at(-1) ?? ''));
  for (let n = 0; n < SENT; n++) {
    const response = await start(buyer, {
      prompt: pick(['The sea', '灯台', '🦑'.repeat(40)]),
      seconds: pick([3, 4, '8', 15, 2, 16]),
      size: pick(['1280x720', '720x1280', '720x720']),
      ...(random() < 0.4 && { input_reference: { image_url: `data:image/png;base64,${PNG}` } }),
    });
    expect([200, 400], await response.text()).toContain(response.status);
    if (n % 5 === 4) await lookNow();
  }
  pass(40);
  await lookNow();
  const { rows } = await pool().query(
    `SELECT (SELECT coalesce(sum(provider_cost), 0)::bigint FROM usage WHERE user_id = $1) AS cost,
       (SELECT count(*)::int FROM usage WHERE user_id = $1 AND charge > held) AS wrong,
       (SELECT count(*)::int FROM hold WHERE user_id = $1) AS holds,
       coalesce(sum(cost), 0)::bigint AS lost
     FROM provider_loss WHERE user_id = $1`,
    [buyer.userId],
  );
  const { cost, wrong, holds, lost: ofLosses } = rows[0];
  expect(states.size).toBeGreaterThan(SENT / 6);
  expect([wrong, holds]).toEqual([0, 0]);
  expect(cost + ofLosses).toBe(billed);
  expect((await checkLedger()).differences).toEqual([]);
});
