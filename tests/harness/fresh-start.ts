import { afterAll, vi } from 'vitest';

/**
 * Clears the process before each test file. Our modules are loaded again, with new settings, pools
 * and counters. Packages stay loaded, because loading them takes longer than most tests.
 */

const environment = { ...process.env };

vi.resetModules();
// Copies of our modules share their connections, but the next file has another database.
Reflect.deleteProperty(globalThis, Symbol.for('svc database'));

afterAll(() => {
  vi.useRealTimers();
  vi.unstubAllGlobals();
  for (const name of Object.keys(process.env)) if (!(name in environment)) delete process.env[name];
  Object.assign(process.env, environment);
});
