// @ts-check
import { closeSync, fdatasyncSync, ftruncateSync, mkdirSync, openSync, rmSync, writeSync } from 'node:fs';
import path from 'node:path';
import { performance } from 'node:perf_hooks';

const FLUSHES = 200;
const BLOCK = Buffer.alloc(8_192, 1);

/**
 * How long the disk takes to make a block durable, in milliseconds. Every commit waits for that.
 *
 * @param {string} folder
 */
export function measureFlush(folder) {
  mkdirSync(folder, { recursive: true });
  const file = path.join(folder, `flush-${process.pid}`);
  const descriptor = openSync(file, 'w');
  try {
    ftruncateSync(descriptor, FLUSHES * BLOCK.length);
    const durationsMs = Array.from({ length: FLUSHES }, (_, block) => {
      writeSync(descriptor, BLOCK, 0, BLOCK.length, block * BLOCK.length);
      const startMs = performance.now();
      fdatasyncSync(descriptor);
      return performance.now() - startMs;
    }).sort((a, b) => a - b);
    const [p50Ms = 0, p99Ms = 0] = [durationsMs[FLUSHES / 2], durationsMs[FLUSHES * 0.99]];
    return { p50Ms: Number(p50Ms.toFixed(3)), p99Ms: Number(p99Ms.toFixed(3)) };
  } finally {
    closeSync(descriptor);
    rmSync(file);
  }
}
