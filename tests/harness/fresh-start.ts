import { AsyncLocalStorage } from 'node:async_hooks';
import { afterAll, vi } from 'vitest';

/**
 * Clears the process before each test file. Our modules are loaded again, with new settings, pools
 * and counters. Packages stay loaded, because loading them takes longer than most tests.
 */

type Kept = { environment: NodeJS.ProcessEnv; intervals: NodeJS.Timeout[]; setInterval: typeof setInterval };

const SLOT = Symbol.for('svc tests');
const shared = globalThis as { [SLOT]?: Kept };
shared[SLOT] ??= {
  environment: { ...process.env },
  intervals: [],
  setInterval: globalThis.setInterval,
};
const kept = shared[SLOT];

function clear(): void {
  vi.useRealTimers();
  vi.unstubAllGlobals();
  for (const name of Object.keys(process.env)) if (!(name in kept.environment)) delete process.env[name];
  Object.assign(process.env, kept.environment);
  for (const interval of kept.intervals.splice(0)) clearInterval(interval);
}

// Next replaces the console of the process when a file loads it, and looks for this at the next line written.
Object.assign(globalThis, { AsyncLocalStorage });
// The hooks of a file whose tests are all skipped do not run.
clear();
vi.resetModules();
// Copies of our modules share their connections, but the next file has another database.
Reflect.deleteProperty(globalThis, Symbol.for('svc database'));

// What our modules do at intervals ends with their file: it would open connections to a database that is gone.
globalThis.setInterval = ((...given: Parameters<typeof setInterval>) => {
  const interval = kept.setInterval(...given);
  kept.intervals.push(interval);
  return interval;
}) as typeof setInterval;

afterAll(clear);
