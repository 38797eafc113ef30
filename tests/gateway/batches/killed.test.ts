import { expect, test, vi } from 'vitest';
import { pool } from '@/server/base/db';
import { lookAfterBatches } from '@/server/gateway/run/batches/look-after-batches';
import { checkLedger, sweepHolds } from '@/server/ledger';
import { bundleProgram, type Death, dieAt } from '../../harness/programs';
import { answer, send } from '../videos/video-world';
import { bookedOf, chatLine, chatResult, lookNow, pass, startBatchWorld, toLines } from './batch-world';

/** Processes that die while a batch starts, or while its results are read, between any two steps outside the database. */

// A process takes seconds to start.
vi.setConfig({ testTimeout: 180_000 });
const { provider, upload, read, newBuyer } = await startBatchWorld();
const program = bundleProgram('tests/gateway/batches/batch-process.ts');

const runUntilDeath = (argument: string, death: Death, setting = 'OPENAI_BASE_URL'): Promise<void> =>
  dieAt(death, { program, argument, processorUrl: provider.url, setting });

const LINES = toLines([chatLine('a')]);
const RESULT = chatResult('0', 10, 20);
/** 10 tokens at $0.20 and 20 at $0.80 per million, with a commission of 25%. */
const CHARGE = 2_250n;
const UPLOAD = /^POST \/files$/;
const CREATE = /^POST \/batches$/;

const onlyJob = async (userId: string) => {
  const { rows } = await pool().query('SELECT * FROM batch_job WHERE user_id = $1', [userId]);
  expect(rows).toHaveLength(1);
  return rows[0];
};

test.each<[string, Death]>([
  ['before its lines arrive', { call: UPLOAD, when: 'before it arrives' }],
  ['before it notes that they arrived', { call: UPLOAD, when: 'before the answer' }],
])('a process that dies %s leaves a batch that fails, and nobody pays @attack', async (_, death) => {
  const buyer = await newBuyer();
  await runUntilDeath(`${buyer.userKey} ${await upload(buyer, LINES)}`, death);
  const { id } = await onlyJob(buyer.userId);
  await sweepHolds([]);
  expect((await bookedOf(buyer)).holds).toBe(1);
  await Promise.all([lookNow(), lookAfterBatches()]);
  expect(await (await read(buyer, `/batches/${id}`)).json()).toMatchObject({ status: 'failed' });
  expect(await bookedOf(buyer)).toEqual({ receipts: [], losses: [], holds: 0, running: 0 });
  expect((await checkLedger()).differences).toEqual([]);
});

test.each<[string, Death['when'], boolean]>([
  ['before its request for the batch arrives', 'before it arrives', false],
  ['before it notes the batch', 'before the answer', true],
])('after a process that dies %s, the provider is asked for the batch @attack', async (_, when, isMade) => {
  const buyer = await newBuyer();
  await runUntilDeath(`${buyer.userKey} ${await upload(buyer, LINES)}`, { call: CREATE, when });
  const creations = provider.calls.filter((call) => call === 'POST /batches').length;
  const { id } = await onlyJob(buyer.userId);
  provider.onList = answer({ data: isMade ? [{ id: 'batch-1', metadata: { svc_batch: id } }] : [] });
  provider.onRead = answer({
    id: 'batch-1',
    status: 'completed',
    output_file_id: 'out',
    request_counts: { total: 1, completed: 1, failed: 0 },
  });
  provider.onResults = (response) => send(response, toLines([RESULT]));
  for (let look = 0; look < 3; look++) await lookNow();
  expect(provider.calls.filter((call) => call === 'POST /batches').length).toBe(creations);
  const { receipts, losses, holds } = await bookedOf(buyer);
  expect([losses, holds]).toEqual([[], 0]);
  expect(receipts).toMatchObject(isMade ? [{ charge: CHARGE }] : []);
  expect((await checkLedger()).differences).toEqual([]);
});

test('a batch of Anthropic whose process dies before it notes it is a loss, and is not made again @attack', async () => {
  const buyer = await newBuyer();
  const death = { call: /messages\/batches$/, when: 'before the answer' } as const;
  await runUntilDeath(buyer.userKey, death, 'ANTHROPIC_BASE_URL');
  const { most_cost: cost } = await onlyJob(buyer.userId);
  await lookNow();
  expect(await bookedOf(buyer)).toEqual({
    receipts: [],
    losses: [{ reason: 'instance_died', cost, is_estimated: true }],
    holds: 0,
    running: 0,
  });
});

test.each<[string, RegExp, Death['when']]>([
  ['before it reads the state', /^GET \/batches\/batch-1$/, 'before the answer'],
  ['before it reads the results', /^GET \/files\//, 'before it arrives'],
  ['before it settles them', /^GET \/files\//, 'before the answer'],
])('a batch is charged once if a process dies %s @attack', async (_, call, when) => {
  const buyer = await newBuyer();
  await runUntilDeath(`${buyer.userKey} ${await upload(buyer, LINES)}`, { call: /nothing/, when: 'never' });
  await pool().query("UPDATE batch_job SET next_look_at = '2000-01-01' WHERE state = 'running'");
  await runUntilDeath('', { call, when });
  expect((await bookedOf(buyer)).receipts).toEqual([]);
  pass(800);
  await Promise.all([lookAfterBatches(), lookAfterBatches(), lookAfterBatches()]);
  const { receipts, losses, holds } = await bookedOf(buyer);
  expect(receipts).toMatchObject([{ charge: CHARGE, outcome: 'completed' }]);
  expect([losses, holds]).toEqual([[], 0]);
  expect((await checkLedger()).differences).toEqual([]);
});
