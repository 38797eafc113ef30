import { walkLong } from '../tests/sim/long-walk';
import { simulate } from '../tests/sim/simulation';
import { type Tally, total } from '../tests/sim/tally';
import { readOptions } from './read-options.mjs';

/**
 * `npm run sim -- --seed N --minutes M` (or `--seconds S`): injects faults into two running instances and
 * counts violations. `--operations N` compares that many operations of the ledger with its model instead; with
 * `--no-overruns`, none costs more than its hold, as without trust in caches.
 */

const values = readOptions({
  seed: { type: 'string' },
  minutes: { type: 'string' },
  seconds: { type: 'string' },
  operations: { type: 'string' },
  'no-overruns': { type: 'boolean', default: false },
});
const seed = Number(values.seed ?? Math.floor(Math.random() * 2 ** 32));
const seconds = Number(values.seconds ?? Number(values.minutes ?? 1) * 60);
const operations = values.operations === undefined ? null : Number(values.operations);
if (!Number.isInteger(seed) || !(seconds > 0) || (operations !== null && !(operations > 0))) {
  console.error(
    'Usage: npm run sim -- [--seed N] [--minutes M | --seconds S | --operations N [--no-overruns]]',
  );
  process.exit(2);
}

const startedAt = performance.now();
const elapsed = () => `${((performance.now() - startedAt) / 1_000).toFixed(1)} s`;
console.log(`seed: ${seed}`);
const stop = new AbortController();
for (const signal of ['SIGINT', 'SIGTERM', 'SIGHUP'] as const)
  process.once(signal, () => stop.abort(new Error(`stopped by ${signal}`)));

const report = (text: string) => console.log(`${elapsed()}: ${text}`);
const running: Promise<{ tally: Tally; abandoned?: number }> =
  operations === null
    ? simulate({ seed, seconds, signal: stop.signal })
    : walkLong({ seed, operations, mayOverrun: !values['no-overruns'], report, signal: stop.signal }).then(
        (tally) => ({ tally }),
      );
const { tally, abandoned } = await running.catch((error: Error) => {
  console.error(`The simulation ended early: ${error.message}`);
  process.exit(1);
});
const print = (title: string, counts: Map<string, number>) => {
  console.log(`\n${title}: ${total(counts)}`);
  for (const [name, count] of [...counts].sort()) console.log(`  ${String(count).padStart(7)}  ${name}`);
};
print('operations', tally.operations);
print('faults', tally.faults);
if (abandoned !== undefined) console.log(`\nholds of dead instances, resolved by the sweeper: ${abandoned}`);
console.log(`violations: ${tally.violations.length}`);
for (const violation of tally.violations) console.log(`  ${violation}`);
console.log(`seed: ${seed}, time: ${elapsed()}`);
process.exit(tally.violations.length > 0 ? 1 : 0);
