import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { expect, test } from 'vitest';
import { measuresCpu, readCpuMs } from '../../bench/process-tree.mjs';

const BURN_MS = 300;
const BURN = `while (process.cpuUsage().user < ${BURN_MS * 1_000}) {}`;
/** One child that has ended, and one that still runs. */
const PARENT = `
  const { spawn, spawnSync } = require('node:child_process');
  spawnSync(process.execPath, ['-e', ${JSON.stringify(BURN)}]);
  const child = spawn(process.execPath, ['-e', ${JSON.stringify(`${BURN} console.log('burnt'); process.stdin.resume();`)}]);
  child.stdout.on('data', () => console.log('burnt'));
  process.stdin.on('end', () => child.kill()).resume();`;

test.runIf(measuresCpu)('the CPU time of a server includes its descendants, running or ended', async () => {
  const parent = spawn(process.execPath, ['-e', PARENT], { stdio: ['pipe', 'pipe', 'inherit'] });
  await once(parent.stdout, 'data');
  expect(readCpuMs([parent.pid ?? 0])).toBeGreaterThan(2 * BURN_MS);
  parent.stdin.end();
  await once(parent, 'exit');
  expect(readCpuMs([parent.pid ?? 0])).toBe(0);
});
