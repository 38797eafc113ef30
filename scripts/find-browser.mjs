import { spawnSync } from 'node:child_process';
import { accessSync, constants, existsSync } from 'node:fs';
import path from 'node:path';
import { fail, node, step } from './steps.mjs';

/**
 * A Chromium for the browser tests: an installed one, or else one that can be downloaded. Where the build
 * without windows is installed as well, tests use it unless they need windows: a page costs it a third of
 * the time. (Playwright's download has both.)
 */

const SHELLS = ['chromium-headless-shell', 'chrome-headless-shell'];
const NAMES = [
  'chromium',
  'chromium-browser',
  'google-chrome',
  'google-chrome-stable',
  'chrome',
  'Google Chrome',
  'Chromium',
];
const PLACES = [
  '/usr/bin',
  '/usr/local/bin',
  '/snap/bin',
  '/opt/google/chrome',
  '/Applications/Google Chrome.app/Contents/MacOS',
  '/Applications/Chromium.app/Contents/MacOS',
];

/** The variables that name the browsers; none for those that Playwright downloaded. */
export async function requireBrowser() {
  const given = process.env.CHROMIUM_PATH;
  if (given) return isProgram(given) ? {} : fail(`CHROMIUM_PATH: ${given} is not an executable program`);
  const found = findInstalled();
  if (found?.CHROMIUM_SHELL_PATH) return found;
  if (await hasPlaywrights()) return {};
  if (!found && (await succeeds('Downloading a browser', () => node([PLAYWRIGHT, 'install', 'chromium']))))
    return {};
  if (process.getuid?.() === 0)
    await succeeds(
      found ? 'Installing the headless build of Chromium' : 'Installing a browser',
      installFromSystem,
    );
  return (
    findInstalled() ??
    fail(
      [
        'The browser tests need Chromium or Chrome. None was found, and none could be downloaded or installed.',
        'Install one (for example: apt-get install chromium chromium-headless-shell), or set its path: CHROMIUM_PATH=/path/to/chromium npm test',
      ].join('\n'),
    )
  );
}

const PLAYWRIGHT = 'node_modules/playwright/cli.js';

function findInstalled() {
  const [browser, shell] = [findProgram(NAMES), findProgram(SHELLS)];
  return browser && { CHROMIUM_PATH: browser, ...(shell && { CHROMIUM_SHELL_PATH: shell }) };
}

function findProgram(names) {
  const folders = [...(process.env.PATH ?? '').split(path.delimiter), ...PLACES];
  return folders.flatMap((folder) => names.map((name) => path.join(folder, name))).find(isProgram);
}

function isProgram(file) {
  try {
    accessSync(file, constants.X_OK);
    return /chrom/i.test(path.basename(file));
  } catch {
    return false;
  }
}

async function hasPlaywrights() {
  const { chromium } = await import('playwright');
  return existsSync(chromium.executablePath());
}

function installFromSystem() {
  const apt = (...args) =>
    spawnSync('apt-get', args, {
      encoding: 'utf8',
      env: { ...process.env, DEBIAN_FRONTEND: 'noninteractive' },
    });
  const install = (...packages) => apt('install', '-y', '-qq', '--no-install-recommends', ...packages);
  apt('update', '-qq');
  // Not every distribution has the second.
  if (install('chromium', 'chromium-headless-shell').status === 0) return;
  const { status, stderr } = install('chromium');
  if (status !== 0) throw new Error(stderr);
}

/** A failure here is not fatal: the caller tries the next way. */
async function succeeds(title, work) {
  let worked = true;
  await step(title, () =>
    Promise.resolve()
      .then(work)
      .catch(() => {
        worked = false;
      }),
  );
  return worked;
}
