import { execFile } from 'node:child_process';
import { promisify } from 'node:util';
import { enterProject, generateClient, installDependencies } from './steps.mjs';

/** `npm run check`: runs every check, so that one run shows all problems. */

const CHECKS = {
  'format and lint': [
    '@biomejs/biome/bin/biome',
    'ci',
    '--colors=off',
    '--error-on-warnings',
    '--max-diagnostics=200',
    '.',
  ],
  types: ['typescript/bin/tsc', '--noEmit'],
  arrows: [
    'dependency-cruiser/bin/dependency-cruise.mjs',
    '--config',
    '.dependency-cruiser.mjs',
    'app',
    'server',
    'sandbox',
    'widget',
    'texts',
    'proxy.ts',
  ],
  'dead code': ['knip/bin/knip.js', '--no-config-hints'],
};

enterProject();
await installDependencies({ dev: true });
await generateClient();

const run = promisify(execFile);
const failed = [];
// In parallel: the type check takes as long as the others combined.
await Promise.all(Object.entries(CHECKS).map(([title, args]) => check(title, args)));
if (failed.length > 0) {
  console.error(`\ncheck failed: ${failed.join(', ')}`);
  process.exit(1);
}

async function check(title, [program, ...args]) {
  const begunAt = performance.now();
  const report = (result) =>
    console.log(`  ${result} ${title} (${((performance.now() - begunAt) / 1000).toFixed(1)} s)`);
  try {
    await run(process.execPath, [`node_modules/${program}`, ...args], { maxBuffer: 2 ** 26 });
    report('ok    ');
  } catch ({ stdout, stderr }) {
    failed.push(title);
    report('FAILED');
    console.log(`${stdout}${stderr}`);
  }
}
