import { execFile } from 'node:child_process';
import { readFileSync, writeFileSync } from 'node:fs';
import { promisify } from 'node:util';
import { enterProject } from './steps.mjs';

/**
 * `npm run lock-integrity`: adds the checksums that package-lock.json lacks. npm records the checksum
 * of a package only when it can fetch it, so a lock file that was written next to a partial mirror has
 * none for the builds of other platforms.
 */

enterProject();
const run = promisify(execFile);
const lock = JSON.parse(readFileSync('package-lock.json', 'utf8'));
const missing = Object.entries(lock.packages).filter(([place, { integrity }]) => place !== '' && !integrity);
let failed = 0;
for (const [place, { version, ...rest }] of missing) {
  const spec = `${place.split('node_modules/').at(-1)}@${version}`;
  const { stdout } = await run('npm', ['view', spec, 'dist.integrity']).catch((failure) => failure);
  const integrity = stdout.trim();
  if (/^sha512-/.test(integrity)) lock.packages[place] = { version, integrity, ...rest };
  else failed += 1;
  console.log(`${spec}: ${integrity || 'the registry does not have it'}`);
}
writeFileSync('package-lock.json', `${JSON.stringify(lock, null, 2)}\n`);
console.log(`${missing.length - failed} added, ${failed} still missing`);
process.exit(failed > 0 ? 1 : 0);
