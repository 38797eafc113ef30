import { spawnSync } from 'node:child_process';
import { expect, test } from 'vitest';

test.each(['18.20.4', '20.18.3'])('npm start on Node %s names the version to install', (version) => {
  const fake = `Object.defineProperty(process.versions, 'node', { value: '${version}' })`;
  const { status, stderr } = spawnSync(
    process.execPath,
    ['--import', `data:text/javascript,${encodeURIComponent(fake)}`, 'scripts/start.mjs'],
    { encoding: 'utf8' },
  );
  expect(status).toBe(1);
  expect(stderr).toBe(
    `\nsvc needs Node.js 20.19 or newer, and this is ${version}.\nInstall the current LTS version from https://nodejs.org and try again.\n`,
  );
});
