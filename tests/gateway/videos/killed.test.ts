import { expect, test, vi } from 'vitest';
import { pool } from '@/server/base/db';
import { lookAfterVideos } from '@/server/gateway/run/videos/look-after-videos';
import { checkLedger, sweepHolds } from '@/server/ledger';
import { bundleProgram, type Death, dieAt } from '../../harness/programs';
import { bookedOf, lookNow, pass, startVideoWorld } from './video-world';

/** Processes that die while a video starts, or while its state is read, between any two steps outside the database. */

// A process takes seconds to start.
vi.setConfig({ testTimeout: 180_000 });
const { provider, start, read, newBuyer } = await startVideoWorld();
const program = bundleProgram('tests/gateway/videos/video-process.ts');

const runUntilDeath = (userKey: string, death: Death): Promise<void> =>
  dieAt(death, { program, argument: userKey, processorUrl: provider.url, setting: 'XAI_BASE_URL' });

const BODY = { model: 'xai/grok-imagine-video', prompt: 'A lighthouse' };
const again = async (person: Awaited<ReturnType<typeof newBuyer>>) =>
  (await start(person, BODY, { 'idempotency-key': 'once' })).json();

const START = /^POST \/videos\/generations$/;
const READ = /^GET \/videos\//;
/** 4 seconds at $0.07, with a commission of 25%. */
const CHARGE = 35_000_000n;
const MOST = 28_000_000n;

test.each<[string, Death['when'], number]>([
  ['before its provider got the request', 'before it arrives', 0],
  ['before it stored the id of the job', 'before the answer', 1],
])(
  'a process that dies %s leaves a job that fails without a charge, and a loss @attack',
  async (_, when, calls) => {
    const buyer = await newBuyer();
    const before = provider.started.length;
    await runUntilDeath(buyer.userKey, { call: START, when });
    expect(provider.started.length - before).toBe(calls);
    const { id } = await again(buyer);
    expect(provider.started.length - before).toBe(calls);
    await lookNow();
    expect(await (await read(buyer, `/${id}`)).json()).toMatchObject({ status: 'queued' });
    await sweepHolds([]);
    expect((await bookedOf(buyer)).holds).toBe(1);
    pass(200);
    await Promise.all([lookAfterVideos(), lookAfterVideos()]);
    expect(await (await read(buyer, `/${id}`)).json()).toMatchObject({
      status: 'failed',
      usage: { cost: 0 },
    });
    expect(await bookedOf(buyer)).toEqual({
      receipts: [],
      losses: [{ reason: 'instance_died', cost: MOST, is_estimated: true }],
      holds: 0,
      running: 0,
    });
    expect((await checkLedger()).differences).toEqual([]);
  },
);

test.each<[string, Death['when']]>([
  ['before it asks', 'before it arrives'],
  ['before it settles', 'before the answer'],
])('a video is charged once if a process dies %s, and another looks after it @attack', async (_, when) => {
  const buyer = await newBuyer();
  await runUntilDeath(buyer.userKey, { call: /nothing/, when: 'never' });
  const { id } = await again(buyer);
  await pool().query("UPDATE video_job SET next_look_at = '2000-01-01' WHERE id = $1", [id]);
  await runUntilDeath('', { call: READ, when });
  await lookAfterVideos();
  expect((await bookedOf(buyer)).receipts).toEqual([]);
  pass(70);
  await Promise.all([lookAfterVideos(), lookAfterVideos(), lookAfterVideos()]);
  const { receipts, losses, holds } = await bookedOf(buyer);
  expect(receipts).toMatchObject([{ charge: CHARGE, outcome: 'completed' }]);
  expect([losses, holds]).toEqual([[], 0]);
  await runUntilDeath('', { call: /nothing/, when: 'never' });
  expect((await bookedOf(buyer)).receipts).toHaveLength(1);
  expect((await checkLedger()).differences).toEqual([]);
});
