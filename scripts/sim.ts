import { parseArgs } from 'node:util';
import { simulate } from '../tests/sim/simulation';
import { total } from '../tests/sim/tally';

/** `npm run sim -- --seed N --minutes M` (or `--seconds S`): injects faults and counts violations. */

const { values } = parseArgs({
  options: { seed: { type: 'string' }, minutes: { type: 'string' }, seconds: { type: 'string' } },
});
const seed = Number(values.seed ?? Math.floor(Math.random() * 2 ** 32));
const seconds = Number(values.seconds ?? Number(values.minutes ?? 1) * 60);
if (!Number.isInteger(seed) || !(seconds > 0)) {
  console.error('Usage: npm run sim -- [--seed N] [--minutes M | --seconds S]');
  process.exit(2);
}

const stop = new AbortController();
for (const signal of ['SIGINT', 'SIGTERM', 'SIGHUP'] as const)
  process.once(signal, () => stop.abort(new Error(`stopped by ${signal}`)));

const { tally, abandoned } = await simulate({ seed, seconds, signal: stop.signal }).catch((error: Error) => {
  console.error(`The simulation ended early: ${error.message}`);
  process.exit(1);
});
const print = (title: string, counts: Map<string, number>) => {
  console.log(`\n${title}: ${total(counts)}`);
  for (const [name, count] of [...counts].sort()) console.log(`  ${String(count).padStart(7)}  ${name}`);
};
print('operations', tally.operations);
print('faults', tally.faults);
console.log(`\nholds of dead instances, resolved by the sweeper: ${abandoned}`);
console.log(`violations: ${tally.violations.length}`);
for (const violation of tally.violations) console.log(`  ${violation}`);
console.log(`seed: ${seed}`);
process.exit(tally.violations.length > 0 ? 1 : 0);
