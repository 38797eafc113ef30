import { afterAll, vi } from 'vitest';

/**
 * Before each file of tests: what the file before it left in this process is gone. Our modules run
 * anew, with their settings, pools and counters; only packages stay loaded, which takes longer than
 * most tests do.
 */

const environment = { ...process.env };

vi.resetModules();
// Copies of our modules share their connections; the next file has a database of its own.
Reflect.deleteProperty(globalThis, Symbol.for('svc database'));

afterAll(() => {
  vi.useRealTimers();
  vi.unstubAllGlobals();
  for (const name of Object.keys(process.env)) if (!(name in environment)) delete process.env[name];
  Object.assign(process.env, environment);
});
