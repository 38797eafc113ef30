import { spawnSync } from 'node:child_process';
import { enterProject, generateClient, installDependencies } from './steps.mjs';

/** `npm run check`: every check runs, so that one look shows everything that is wrong. */

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
    'widget',
    'proxy.ts',
  ],
  'dead code': ['knip/bin/knip.js', '--no-config-hints'],
};

enterProject();
await installDependencies({ dev: true });
await generateClient();

const failed = Object.entries(CHECKS).filter(([title, args]) => !passes(title, args));
if (failed.length > 0) {
  console.error(`\ncheck failed: ${failed.map(([title]) => title).join(', ')}`);
  process.exit(1);
}

function passes(title, [program, ...args]) {
  const begunAt = performance.now();
  const { status, stdout, stderr } = spawnSync(process.execPath, [`node_modules/${program}`, ...args], {
    encoding: 'utf8',
    maxBuffer: 2 ** 26,
  });
  const seconds = ((performance.now() - begunAt) / 1000).toFixed(1);
  console.log(`  ${status === 0 ? 'ok    ' : 'FAILED'} ${title} (${seconds} s)`);
  if (status !== 0) console.log(`${stdout}${stderr}`);
  return status === 0;
}
