import { spawn } from 'node:child_process';

/**
 * `npm run fuzz -- --cases 100000 --seed 7`: the fuzz tests with more cases. A fault is printed with the
 * seed of its batch: `--seed` with that number and `--cases 500` repeats it.
 */

const [, , ...words] = process.argv;
const option = (name, otherwise) => {
  const at = words.indexOf(`--${name}`);
  const value = at === -1 ? otherwise : Number(words[at + 1]);
  if (Number.isSafeInteger(value) && value > 0) return String(value);
  console.error(`--${name}: expected a positive whole number`);
  process.exit(1);
};
const env = {
  ...process.env,
  FUZZ_CASES: option('cases', 100_000),
  FUZZ_SEED: option('seed', Math.floor(Math.random() * 2 ** 30) + 1),
};
const child = spawn(process.execPath, ['scripts/test.mjs', 'tests/fuzz'], {
  stdio: 'inherit',
  env,
});
child.on('close', (code) => process.exit(code ?? 1));
