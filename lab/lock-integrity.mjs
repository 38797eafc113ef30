import { execFile } from 'node:child_process';
import { readFileSync, writeFileSync } from 'node:fs';
import { promisify } from 'node:util';
import { enterProject } from '../scripts/steps.mjs';

/**
 * `npm run lock-integrity`: adds the checksums that the lock files lack. npm records the checksum
 * of a package only when it can fetch it, so a lock file that was written next to a partial mirror has
 * none for the builds of other platforms.
 */

enterProject();
const run = promisify(execFile);
let [added, failed] = [0, 0];
for (const file of ['package-lock.json', 'lab/package-lock.json']) await complete(file);
console.log(`${added} added, ${failed} still missing`);
process.exit(failed > 0 ? 1 : 0);

async function complete(file) {
  const lock = JSON.parse(readFileSync(file, 'utf8'));
  for (const [place, { version, integrity: known, ...rest }] of Object.entries(lock.packages)) {
    if (place === '' || known) continue;
    const spec = `${place.split('node_modules/').at(-1)}@${version}`;
    const { stdout } = await run('npm', ['view', spec, 'dist.integrity']).catch((failure) => failure);
    const integrity = stdout.trim();
    console.log(`${spec}: ${integrity || 'the registry does not have it'}`);
    if (/^sha512-/.test(integrity)) {
      lock.packages[place] = { version, integrity, ...rest };
      added += 1;
    } else failed += 1;
  }
  writeFileSync(file, `${JSON.stringify(lock, null, 2)}\n`);
}
