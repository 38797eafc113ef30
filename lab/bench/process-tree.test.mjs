import assert from 'node:assert/strict';
import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { test } from 'node:test';
import { measuresCpu, readCpuMs } from './process-tree.mjs';

const BURN_MS = 300;
/** Prints its CPU time in milliseconds when it has used enough. */
const BURN = `
  const usedMs = () => Object.values(process.cpuUsage()).reduce((sum, microseconds) => sum + microseconds / 1_000, 0);
  while (usedMs() < ${BURN_MS}) {}
  console.log(usedMs());`;
/** With one child that has ended, and one that still runs. Prints the CPU time of the three. */
const PARENT = `
  const { spawn, spawnSync } = require('node:child_process');
  const ended = Number(spawnSync(process.execPath, ['-e', ${JSON.stringify(BURN)}]).stdout);
  const running = spawn(process.execPath, ['-e', ${JSON.stringify(`${BURN} process.stdin.resume();`)}]);
  running.stdout.on('data', (text) => {
    const { user, system } = process.cpuUsage();
    console.log(ended + Number(text) + (user + system) / 1_000);
  });
  process.stdin.on('end', () => running.kill()).resume();`;

test('the CPU time of a server includes its descendants, running or ended', {
  skip: !measuresCpu,
}, async () => {
  const parent = spawn(process.execPath, ['-e', PARENT], { stdio: ['pipe', 'pipe', 'inherit'] });
  const [text] = await once(parent.stdout, 'data');
  assert.ok(readCpuMs([parent.pid ?? 0]) > Number(text) - BURN_MS / 3);
  parent.stdin.end();
  await once(parent, 'exit');
  assert.equal(readCpuMs([parent.pid ?? 0]), 0);
});
