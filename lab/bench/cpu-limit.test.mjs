import assert from 'node:assert/strict';
import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { readFileSync } from 'node:fs';
import { performance } from 'node:perf_hooks';
import { test } from 'node:test';
import { canLimitCpu, limitCpu } from './cpu-limit.mjs';
import { readCpuMs } from './process-tree.mjs';

const CORES = 0.2;
const BURN_MS = 200;
/** For the clock of CPU time, and for what is left of a period. */
const TOLERANCE_MS = 30;
/** Waits for its input, prints when it has used enough CPU time, and waits for its input to end. */
const BURN = `
  const usedMs = () => Object.values(process.cpuUsage()).reduce((sum, microseconds) => sum + microseconds / 1_000, 0);
  process.stdin.once('data', () => {
    const end = usedMs() + ${BURN_MS};
    while (usedMs() < end) {}
    console.log('burnt');
  });`;

test('a limited process uses no more than its share of a core, until the limit is removed', {
  skip: !canLimitCpu(),
}, async (context) => {
  const child = spawn(process.execPath, ['-e', BURN], { stdio: ['pipe', 'pipe', 'inherit'] });
  context.after(() => child.kill());
  const pid = child.pid ?? 0;
  const readGroups = () => readFileSync(`/proc/${pid}/cgroup`, 'utf8');
  const before = readGroups();

  const lift = limitCpu(pid, CORES);
  assert.notEqual(readGroups(), before);
  const [startMs, startCpuMs] = [performance.now(), readCpuMs([pid])];
  child.stdin.write('start');
  await once(child.stdout, 'data');
  const usedMs = readCpuMs([pid]) - startCpuMs;
  assert.ok(usedMs >= BURN_MS - TOLERANCE_MS);
  assert.ok(usedMs < CORES * (performance.now() - startMs) + TOLERANCE_MS);

  lift();
  assert.equal(readGroups(), before);
});
