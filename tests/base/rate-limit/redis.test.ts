import { type ChildProcess, spawn, spawnSync } from 'node:child_process';
import { once } from 'node:events';
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { afterAll, beforeAll, describe, expect, it, vi } from 'vitest';
import { freePort } from '../../harness/free-port';
import { until } from '../../harness/until';

/**
 * Two instances of the product, as far as rate limits are concerned, and the Redis in which they count
 * together.
 */

const hasRedis = spawnSync('redis-server', ['--version']).status === 0;
const suite = hasRedis ? 'a real Redis' : 'a real Redis (skipped: redis-server is not installed)';

const PER_MINUTE = 60;
/** A key's burst equals its rate per minute. */
const BY_ALL_INSTANCES = 2 * PER_MINUTE;

type Instance = Awaited<ReturnType<typeof startInstance>>;

/** Loads separate modules: the instances share nothing but Redis. */
async function startInstance() {
  vi.resetModules();
  const [{ countAttempt }, { takeKeyTurn }, connection] = await Promise.all([
    import('@/server/base/rate-limit/attempts'),
    import('@/server/base/rate-limit/key-turns'),
    import('@/server/base/rate-limit/redis'),
  ]);
  const isConnected = () => connection.redis()?.status === 'ready';
  return { countAttempt, takeKeyTurn, isConnected, stop: connection.closeRedis };
}

describe.skipIf(!hasRedis)(suite, () => {
  const dir = mkdtempSync(path.join(tmpdir(), 'svc-redis-'));
  let port: number;
  let server: ChildProcess;
  let instances: [Instance, Instance, Instance];

  const startRedis = () => {
    const settings = { port, bind: '127.0.0.1', dir, save: '', appendonly: 'no' };
    const options = Object.entries(settings).flatMap(([name, value]) => [`--${name}`, String(value)]);
    server = spawn('redis-server', options, { stdio: 'ignore' });
  };
  const killRedis = async () => {
    const ended = once(server, 'exit');
    server.kill('SIGKILL');
    await ended;
  };
  const untilConnected = () =>
    until(
      async () => instances.map(({ isConnected }) => isConnected()),
      (connected) => connected.every(Boolean),
    );

  beforeAll(async () => {
    port = await freePort();
    process.env.REDIS_URL = `redis://127.0.0.1:${port}`;
    process.env.LIMIT_REQUESTS_PER_KEY_PER_MINUTE = String(PER_MINUTE);
    startRedis();
    instances = [await startInstance(), await startInstance(), await startInstance()];
    await untilConnected();
  });
  afterAll(async () => {
    await Promise.all(instances.map(({ stop }) => stop()));
    await killRedis();
    rmSync(dir, { recursive: true });
  });

  /**
   * The indexes of the refused ones among six attempts, by two instances in turn, with a limit of five per
   * minute.
   */
  async function attemptInTurn(of: string): Promise<boolean[]> {
    const refused: boolean[] = [];
    for (let n = 0; n < 6; n++) {
      const { countAttempt } = instances[n % 2] as Instance;
      refused.push((await countAttempt('login-try', of, 5)) > 0);
    }
    return refused;
  }
  const FIVE_OF_SIX = [false, false, false, false, false, true];

  it('counts the attempts of an IP address across all instances', async () => {
    expect(await attemptInTurn('203.0.113.1')).toEqual(FIVE_OF_SIX);
    expect(await attemptInTurn('203.0.113.2')).toEqual(FIVE_OF_SIX);
  });

  it('stops a key that exceeds its rate across all instances, on one that served few of its requests', async () => {
    const key = Buffer.alloc(32, 7);
    const [first, second, third] = instances;
    for (let n = 0; n < BY_ALL_INSTANCES / 2; n++)
      expect([first.takeKeyTurn(key), second.takeKeyTurn(key)]).toEqual([0, 0]);
    const waits: number[] = [];
    await until(
      async () => waits.push(third.takeKeyTurn(key)),
      () => (waits.at(-1) ?? 0) > 0,
    );
    // Its own count alone would have allowed that many.
    expect(waits.length).toBeLessThan(PER_MINUTE);
    expect(third.takeKeyTurn(Buffer.alloc(32, 8))).toBe(0);
  });

  it('that is killed blocks nobody: each instance counts by itself, and they count together again when it is back', async () => {
    await killRedis();
    const begunAt = performance.now();
    const [first] = instances;
    const alone: boolean[] = [];
    for (let n = 0; n < 6; n++) alone.push((await first.countAttempt('login-try', '203.0.113.3', 5)) > 0);
    expect(alone).toEqual(FIVE_OF_SIX);
    expect(await attemptInTurn('203.0.113.4')).toEqual(Array<boolean>(6).fill(false));
    expect(first.takeKeyTurn(Buffer.alloc(32, 9))).toBe(0);
    expect(performance.now() - begunAt).toBeLessThan(3_000);

    startRedis();
    await untilConnected();
    // An attempt in progress while the connection was restored may have been counted locally.
    let address = 0;
    await until(
      () => attemptInTurn(`198.51.100.${++address}`),
      (refused) => refused.join() === FIVE_OF_SIX.join(),
    );
  });
});
