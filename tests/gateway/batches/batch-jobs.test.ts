import type { ServerResponse } from 'node:http';
import { describe, expect, test, vi } from 'vitest';
import { DAY_MS, now } from '@/server/base/clock';
import { inTransaction, pool } from '@/server/base/db';
import { forgetFiles, MAX_FILES } from '@/server/gateway/run/batches/file-store';
import { forgetBatches } from '@/server/gateway/run/batches/job-store';
import { lookAfterBatches } from '@/server/gateway/run/batches/look-after-batches';
import { checkLedger, stopSpending, sweepHolds } from '@/server/ledger';
import type { Person } from '../../harness/people';
import { answer, send } from '../videos/video-world';
import { bookedOf, chatLine, chatResult, lookNow, pass, startBatchWorld, toLines } from './batch-world';

const { provider, upload, post, read, start, newBuyer } = await startBatchWorld();

const line = (custom_id: string, more: object = {}, content = 'Hello') => {
  const usual = chatLine(custom_id);
  return { ...usual, body: { ...usual.body, messages: [{ role: 'user', content }], ...more } };
};
const LINES = [line('a'), line('b'), line('c')];

const result = (index: number | string, input = 10, output = 20) => chatResult(String(index), input, output);
const failure = (index: number) => ({
  custom_id: String(index),
  response: {
    status_code: 400,
    body: { error: { message: 'org-abcdef123456 sent a bad line', type: 'invalid_request_error' } },
  },
  error: null,
});
const unsent = (index: number, code: string) => ({
  custom_id: String(index),
  response: null,
  error: { code, message: 'not sent' },
});
const costOf = (...usages: [number, number][]) =>
  usages.reduce((sum, [input, output]) => sum + input * 20 + output * 80, 0);
const chargeOf = (cost: number) => BigInt(Math.ceil(cost * 1.25));

/** The provider ends the batch with this state and these results. */
function endWith(
  status: string,
  output: readonly unknown[],
  errors: readonly unknown[] = [],
  completed?: number,
) {
  provider.onRead = answer({
    id: 'batch-1',
    status,
    output_file_id: output.length > 0 ? 'out' : null,
    error_file_id: errors.length > 0 ? 'err' : null,
    request_counts: { total: 3, completed: completed ?? 0, failed: errors.length },
  });
  provider.onResults = (response: ServerResponse, request) =>
    send(response, toLines(request.url?.includes('/out/') ? output : errors));
}

const startOne = async (buyer: Person, lines = LINES): Promise<string> => {
  const response = await start(buyer, lines);
  expect(response.status).toBe(200);
  return ((await response.json()) as { id: string }).id;
};
const statusOf = async (buyer: Person, id: string) => (await read(buyer, `/batches/${id}`)).json();

describe('a batch', () => {
  test('is charged as the sum of its lines, each counted once @attack', async () => {
    const buyer = await newBuyer();
    const id = await startOne(buyer);
    expect(provider.lines.map(({ custom_id }) => custom_id)).toEqual(['0', '1', '2']);
    expect(provider.lines[0]).toMatchObject({
      url: '/v1/chat/completions',
      body: { model: 'gpt-4.1-mini', max_tokens: 100 },
    });
    endWith(
      'completed',
      [result(0), result(0, 1_000), result(7), result('x'), 'junk', result(2, 30, 40)],
      [failure(1)],
    );
    await lookNow();
    expect(await statusOf(buyer, id)).toMatchObject({
      status: 'completed',
      request_counts: { total: 3, completed: 2, failed: 1 },
    });
    const { receipts, losses, holds } = await bookedOf(buyer);
    expect([losses, holds]).toEqual([[], 0]);
    expect(receipts).toMatchObject([
      {
        model: 'openai/gpt-4.1-mini:batch',
        outcome: 'completed',
        charge: chargeOf(costOf([10, 20], [30, 40])),
      },
    ]);
    const { output_file_id: output, error_file_id: errors } = await statusOf(buyer, id);
    const shown = await (await read(buyer, `/files/${output}/content`)).text();
    expect(
      shown
        .trim()
        .split('\n')
        .map((text) => JSON.parse(text).custom_id),
    ).toEqual(['a', 'c']);
    expect(shown).toContain('"model":"openai/gpt-4.1-mini"');
    const failed = await (await read(buyer, `/files/${errors}/content`)).text();
    expect(JSON.parse(failed)).toMatchObject({ custom_id: 'b', response: { status_code: 400 } });
    expect(failed).not.toContain('org-abcdef');
    await lookNow();
    expect((await bookedOf(buyer)).receipts).toHaveLength(1);
    expect((await checkLedger()).differences).toEqual([]);
  });

  test.each(['expired', 'cancelled'])(
    'that %s is charged for the lines that were completed',
    async (state) => {
      const buyer = await newBuyer();
      const id = await startOne(buyer);
      endWith(state, [result(1)], [unsent(0, `batch_${state}`), unsent(2, `batch_${state}`)]);
      await lookNow();
      expect(await statusOf(buyer, id)).toMatchObject({
        status: state,
        request_counts: { completed: 1, failed: 2 },
      });
      expect((await bookedOf(buyer)).receipts).toMatchObject([
        { outcome: 'aborted', charge: chargeOf(costOf([10, 20])) },
      ]);
    },
  );

  test('that failed costs nothing, and says why without our account', async () => {
    const buyer = await newBuyer();
    const id = await startOne(buyer);
    provider.onRead = answer({
      id: 'batch-1',
      status: 'failed',
      errors: { data: [{ code: 'invalid', message: 'org-abcdef123456: line 1 is wrong' }] },
    });
    await lookNow();
    const failed = await statusOf(buyer, id);
    expect(failed).toMatchObject({ status: 'failed', usage: { cost: 0 } });
    expect(failed.errors.data[0].message).not.toContain('abcdef');
    expect(await bookedOf(buyer)).toMatchObject({ receipts: [], losses: [], holds: 0, running: 0 });
  });

  test('that failed with completed lines is a loss, and the user pays nothing @attack', async () => {
    const buyer = await newBuyer();
    await startOne(buyer);
    provider.onRead = answer({ id: 'batch-1', status: 'failed', request_counts: { completed: 2 } });
    await lookNow();
    const { receipts, losses, holds } = await bookedOf(buyer);
    expect([receipts, holds]).toEqual([[], 0]);
    expect(losses).toMatchObject([{ reason: 'failed_response', is_estimated: true }]);
  });

  test('that ends while its lines are uploaded is never created @attack', async () => {
    const buyer = await newBuyer();
    const before = provider.calls.filter((call) => call === 'POST /batches').length;
    const { onUpload } = provider;
    provider.onUpload = (response) => void lookNow().then(() => send(response, { id: 'file-1' }));
    expect((await start(buyer, LINES)).status).toBe(503);
    provider.onUpload = onUpload;
    expect(provider.calls.filter((call) => call === 'POST /batches').length).toBe(before);
    expect(await bookedOf(buyer)).toEqual({ receipts: [], losses: [], holds: 0, running: 0 });
  });

  test('is read no sooner because it is cancelled again @attack', async () => {
    const buyer = await newBuyer();
    const id = await startOne(buyer);
    provider.onRead = answer({ id: 'batch-1', status: 'in_progress' });
    const dueIn = async () => {
      expect((await read(buyer, `/batches/${id}/cancel`, 'POST')).status).toBe(200);
      const { rows } = await pool().query('SELECT next_look_at FROM batch_job WHERE id = $1', [id]);
      return rows[0].next_look_at.getTime() - now();
    };
    expect(await dueIn()).toBeLessThanOrEqual(0);
    await lookNow();
    expect(await dueIn()).toBeGreaterThan(0);
  });

  test('never costs more than its hold, whatever usage is reported, and the rest is a loss @attack', async () => {
    const buyer = await newBuyer();
    await startOne(buyer);
    endWith('completed', [result(0, 100_000_000, 100_000_000), result(1, 99_999_999), result(2, 10)]);
    await lookNow();
    const { receipts } = await bookedOf(buyer);
    const [receipt] = receipts as { charge: bigint; held: bigint; provider_cost: bigint }[];
    expect(receipt?.charge).toBe(receipt?.held);
    expect((receipt?.provider_cost ?? 0n) > (receipt?.held ?? 0n)).toBe(true);
    expect((await checkLedger()).differences).toEqual([]);
    await pool().query('UPDATE wallet SET paused_at = NULL, overrun = 0');
    await pool().query('UPDATE partner SET paused_at = NULL, overrun = 0');
  });

  test('whose completed lines are never shown is a loss of at most what they could cost @attack', async () => {
    const buyer = await newBuyer();
    await startOne(buyer);
    endWith('completed', [result(0)], [], 3);
    await lookNow();
    const { receipts, losses } = await bookedOf(buyer);
    expect(receipts).toMatchObject([{ charge: chargeOf(costOf([10, 20])) }]);
    expect(losses).toMatchObject([{ reason: 'failed_response', is_estimated: true }]);
  });

  test('is settled once its results can be read, and at its deadline without them', async () => {
    const buyer = await newBuyer();
    const id = await startOne(buyer);
    endWith('completed', [result(0)]);
    provider.onResults = answer('broken', 500);
    await lookNow();
    expect(await statusOf(buyer, id)).toMatchObject({ status: 'in_progress' });
    await sweepHolds([]);
    expect((await bookedOf(buyer)).holds).toBe(1);
    pass(25 * 3_600);
    await lookAfterBatches();
    expect(await statusOf(buyer, id)).toMatchObject({ status: 'failed' });
    const { receipts, losses, holds } = await bookedOf(buyer);
    expect([receipts, holds]).toEqual([[], 0]);
    expect(losses).toMatchObject([{ reason: 'timeout', is_estimated: true }]);
  });

  test('is found by its metadata where the answer to its creation was lost, and never made twice @attack', async () => {
    const buyer = await newBuyer();
    const before = provider.calls.filter((call) => call === 'POST /batches').length;
    provider.onCreate = (response) => void response.destroy();
    const id = await startOne(buyer);
    expect(await statusOf(buyer, id)).toMatchObject({ status: 'validating' });
    provider.onList = answer({
      data: [{ id: 'other' }, { id: 'batch-1', metadata: provider.batch.metadata }],
    });
    await lookNow();
    expect(await statusOf(buyer, id)).toMatchObject({ status: 'in_progress' });
    endWith('completed', [result(0)]);
    await lookNow();
    expect((await bookedOf(buyer)).receipts).toHaveLength(1);
    expect(provider.calls.filter((call) => call === 'POST /batches').length).toBe(before + 1);

    const another = await startOne(buyer);
    provider.onList = answer({ data: [{ id: 'other' }], has_more: false });
    await lookNow();
    expect(await statusOf(buyer, another)).toMatchObject({ status: 'failed' });
    expect((await bookedOf(buyer)).losses).toEqual([]);
    provider.onCreate = answer({ id: 'batch-1' });
  });

  test('of Anthropic whose creation has no answer ends as a loss of the most that it may cost @attack', async () => {
    const buyer = await newBuyer();
    provider.onCreate = (response) => void response.destroy();
    const params = {
      model: 'anthropic/claude-sonnet-4-5',
      max_tokens: 100,
      messages: [{ role: 'user', content: 'Hi' }],
    };
    const requests = [{ custom_id: 'a', params }];
    const response = await post(buyer, '/messages/batches', { requests }, { 'idempotency-key': 'once' });
    expect(response.status).toBe(502);
    expect(provider.lines).toMatchObject([{ custom_id: '0', params: { model: 'claude-sonnet-4-5' } }]);
    const { losses, holds } = await bookedOf(buyer);
    expect(losses).toMatchObject([{ reason: 'connection_lost', is_estimated: true }]);
    expect(holds).toBe(0);
    provider.onCreate = answer({ id: 'batch-1' });
    const again = await post(buyer, '/messages/batches', { requests }, { 'idempotency-key': 'once' });
    expect(again.status).toBe(200);
  });

  test('is made once for an Idempotency-Key', async () => {
    const buyer = await newBuyer();
    const body = {
      input_file_id: await upload(buyer, toLines(LINES)),
      endpoint: '/v1/chat/completions',
      completion_window: '24h',
    };
    const before = provider.calls.length;
    const ids = [];
    for (let n = 0; n < 2; n++)
      ids.push(
        ((await (await post(buyer, '/batches', body, { 'idempotency-key': 'one' })).json()) as { id: string })
          .id,
      );
    expect(new Set(ids).size).toBe(1);
    expect(provider.calls.slice(before)).toEqual(['POST /files', 'POST /batches']);
    const other = await post(
      buyer,
      '/batches',
      { ...body, metadata: { a: 'b' } },
      { 'idempotency-key': 'one' },
    );
    expect(other.status).toBe(409);
  });

  test('of an app that its user stops is cancelled, and new ones are refused', async () => {
    const buyer = await newBuyer();
    const id = await startOne(buyer);
    provider.onRead = answer({ id: 'batch-1', status: 'in_progress' });
    await inTransaction((tx) => stopSpending(tx, buyer));
    expect((await start(buyer, LINES)).status).toBe(402);
    const before = provider.calls.length;
    await lookNow();
    expect(provider.calls.slice(before)).toContain('POST /batches/batch-1/cancel');
    expect(await statusOf(buyer, id)).toMatchObject({ status: 'cancelling' });
  });
});

describe('lines', () => {
  test.each<[string, unknown[] | string, string]>([
    ['is no JSON', 'nonsense\n', 'line 1: must be a JSON object'],
    ['has another endpoint', [{ ...line('a'), url: '/v1/responses' }], 'line 1: url: '],
    ['has no custom_id', [line('')], 'line 1: custom_id: '],
    ['repeats a custom_id', [line('a'), line('a')], 'line 2: custom_id: '],
    ['has an unknown model', [line('a'), line('b', { model: 'openai/gpt-9' })], 'line 2: The model'],
    [
      'has another model',
      [line('a'), line('b'), line('c', { model: 'openai/gpt-4.1' })],
      'line 3: body.model: ',
    ],
    [
      'has a model without a price in batches',
      [line('a', { model: 'openai/gpt-4' })],
      'line 1: body.model: ',
    ],
    [
      'has a model of the other format',
      [line('a', { model: 'anthropic/claude-sonnet-4-5' })],
      'line 1: body.model: ',
    ],
    ['has a field that is wrong', [line('a', { max_tokens: 'x' })], 'line 1: body.max_tokens: '],
    ['streams', [line('a', { stream: true })], 'line 1: body.stream: '],
    ['is stored', [line('a', { store: true })], 'line 1: body.store: '],
    ['searches', [line('a', { web_search_options: {} })], 'line 1: body.'],
    [
      'may reach a higher price',
      [line('a', { model: 'openai/gpt-5.5' }, 'word '.repeat(300_000))],
      'line 1: body.model: this prompt may have',
    ],
    ['are none', '\n\n', 'input_file_id: has no lines'],
  ])('that %s are refused, and nothing is held', async (_, lines, message) => {
    const buyer = await newBuyer();
    const before = provider.calls.length;
    const input_file_id = await upload(buyer, typeof lines === 'string' ? lines : toLines(lines));
    const response = await post(buyer, '/batches', {
      input_file_id,
      endpoint: '/v1/chat/completions',
      completion_window: '24h',
    });
    const { error } = (await response.json()) as { error: { message: string } };
    expect(error.message).toContain(message);
    expect([400, 404]).toContain(response.status);
    expect(provider.calls.length).toBe(before);
    expect((await bookedOf(buyer)).holds).toBe(0);
  });

  test('that cost more than the balance are refused as a whole', async () => {
    const poor = await newBuyer(1);
    const response = await start(poor, [
      line('a', { max_tokens: 30_000 }),
      line('b', { max_tokens: 30_000 }),
    ]);
    expect(response.status).toBe(402);
    expect((await bookedOf(poor)).holds).toBe(0);
  });
});

describe('files', () => {
  test('of one user leave connections to the database to others @attack', async () => {
    const [buyer, other] = [await newBuyer(), await newBuyer()];
    const locked = await pool().connect();
    await locked.query('BEGIN');
    await locked.query('SELECT pg_advisory_xact_lock(hashtextextended($1, 0))', [
      `batch_file:${buyer.userId}`,
    ]);
    const uploads = Array.from({ length: 12 }, () => upload(buyer, toLines(LINES)));
    await vi.waitFor(async () => {
      const { rows } = await locked.query(
        `SELECT FROM pg_locks WHERE locktype = 'advisory' AND NOT granted
           AND database = (SELECT oid FROM pg_database WHERE datname = current_database())`,
      );
      expect(rows.length).toBeGreaterThanOrEqual(2);
    });
    for (let n = 0; n < 5; n++) expect((await read(other, '/files')).status).toBe(200);
    await locked.query('COMMIT');
    locked.release();
    expect(new Set(await Promise.all(uploads)).size).toBe(12);
  });

  test('belong to one user in one app, and end after a week', async () => {
    const [buyer, stranger] = [await newBuyer(), await newBuyer()];
    const id = await upload(buyer, toLines(LINES));
    for (const path of [`/files/${id}`, `/files/${id}/content`])
      expect((await read(stranger, path)).status).toBe(404);
    expect((await read(stranger, `/files/${id}`, 'DELETE')).status).toBe(404);
    expect((await read(buyer, `/files/${id}`)).status).toBe(200);
    pass((7 * DAY_MS) / 1_000 + 60);
    expect((await read(buyer, `/files/${id}`)).status).toBe(404);
    await forgetFiles();
    await forgetBatches();
    const { rows } = await pool().query(
      'SELECT count(*)::int AS n FROM batch_file_piece WHERE file_id = $1',
      [id],
    );
    expect(rows[0].n).toBe(0);
  });

  test('are limited in number, and nothing readable of them is stored', async () => {
    const buyer = await newBuyer();
    await upload(buyer, 'a-secret-prompt');
    const { rows } = await pool().query('SELECT content FROM batch_file_piece');
    expect(rows.some(({ content }) => content.includes('a-secret-prompt'))).toBe(false);
    for (let n = 1; n < MAX_FILES; n++) expect(await upload(buyer, '{}')).toBeDefined();
    expect(await upload(buyer, '{}')).toBeUndefined();
  });
});
