// @ts-check
import { once } from 'node:events';
import { setTimeout as sleep } from 'node:timers/promises';
import { WebSocket } from 'undici';
import { findFreePort } from '../bench/servers.mjs';

/**
 * Fills the heap of an instance through its inspector, as a leak does.
 *
 * @typedef {import('./world.mjs').World} World
 */

const HEAP_MB = 256;
const PATIENCE_MS = 30_000;
const LEAK = 'globalThis.leak = []; for (;;) leak.push(new Array(100_000).fill(0.5));';

/** Returns when the process has ended. @param {World} world @param {number} n */
export async function exhaustMemory(world, n) {
  const port = await findFreePort();
  const options = `--max-old-space-size=${HEAP_MB} --inspect-port=127.0.0.1:${port}`;
  await world.restart(n, { NODE_OPTIONS: options });
  const { pid = 0 } = world.instance(n);
  // Opens the inspector.
  process.kill(pid, 'SIGUSR1');
  const socket = new WebSocket(await findInspector(port));
  await once(socket, 'open');
  socket.send(JSON.stringify({ id: 1, method: 'Runtime.evaluate', params: { expression: LEAK } }));
  for (let waitedMs = 0; isAlive(pid); waitedMs += 50) {
    if (waitedMs > PATIENCE_MS) throw new Error('the instance did not run out of memory');
    await sleep(50);
  }
}

/** @param {number} port @returns {Promise<string>} */
async function findInspector(port) {
  for (let waitedMs = 0; ; waitedMs += 50) {
    try {
      const [target] = await (await fetch(`http://127.0.0.1:${port}/json`)).json();
      return target.webSocketDebuggerUrl;
    } catch (error) {
      if (waitedMs > PATIENCE_MS) throw error;
      await sleep(50);
    }
  }
}

/** @param {number} pid */
function isAlive(pid) {
  try {
    process.kill(pid, 0);
    return true;
  } catch {
    return false;
  }
}
