import { spawn } from 'node:child_process';
import { existsSync, mkdirSync, readdirSync, readFileSync, rmSync } from 'node:fs';
import { requireBrowser } from './find-browser.mjs';
import {
  buildPages,
  buildWidget,
  bundleCommands,
  bundleServer,
  enterProject,
  generateClient,
  installDependencies,
} from './steps.mjs';

/**
 * `npm test`: sets up what is missing, runs all tests or the files it is given (then options of
 * their runner, such as `-g title`), and ends with one line of numbers.
 */

const RESULTS = '.build/test-results';

enterProject();
const [files, options] = splitArguments(process.argv.slice(2));
const browserFiles = files.filter((file) => file.endsWith('.spec.ts'));
const otherFiles = files.filter((file) => !file.endsWith('.spec.ts'));
const wants = (some) => files.length === 0 || some.length > 0;

await installDependencies({ dev: true });
await generateClient();
await buildWidget();
await bundleServer();
await bundleCommands();
// Before any test: two of them would else build at once.
if (files.length === 0 || browserFiles.length > 0) await buildPages();
rmSync(RESULTS, { recursive: true, force: true });
mkdirSync(RESULTS, { recursive: true });

const runs = [];
if (wants(otherFiles)) runs.push(await runVitest());
if (wants(browserFiles) && hasBrowserTests()) runs.push(await runPlaywright());

const passed = runs.reduce((sum, run) => sum + run.passed, 0);
const failed = runs.reduce((sum, run) => sum + run.failed, 0);
const ok = failed === 0 && passed > 0 && runs.every((run) => run.ok);
console.log(`\ntests: ${passed} passed, ${failed} failed`);
process.exit(ok ? 0 : 1);

async function runVitest() {
  const report = `${RESULTS}/vitest.json`;
  const code = await show('node_modules/vitest/vitest.mjs', [
    'run',
    '--reporter=default',
    '--reporter=json',
    `--outputFile.json=${report}`,
    ...otherFiles,
    ...options,
  ]);
  const { numPassedTests = 0, numFailedTests = 0, testResults = [] } = readReport(report);
  // A file that cannot be loaded has no test to count.
  const broken = testResults.filter(
    (file) => file.status === 'failed' && file.assertionResults.length === 0,
  ).length;
  return total(numPassedTests, numFailedTests + broken, code);
}

async function runPlaywright() {
  const report = `${RESULTS}/playwright.json`;
  const browser = await requireBrowser();
  // Each worker has a server, and a file stays with one.
  const workers = browserFiles.length === 1 ? ['--workers=1'] : [];
  const code = await show(
    'node_modules/@playwright/test/cli.js',
    ['test', '--config', 'e2e/playwright.config.ts', ...workers, ...browserFiles, ...options],
    browser ? { CHROMIUM_PATH: browser } : {},
  );
  const { stats = {}, suites = [] } = readReport(report);
  const { expected = 0, flaky = 0, unexpected = 0 } = stats;
  for (const title of flakyTitles(suites)) console.log(`passed only when tried again: ${title}`);
  return total(expected + flaky, unexpected, code);
}

/** Of a Playwright report, at any depth. */
function flakyTitles(suites) {
  return suites.flatMap(({ file, specs = [], suites: inner = [] }) => [
    ...specs
      .filter(({ tests }) => tests.some(({ status }) => status === 'flaky'))
      .map(({ title }) => `${file} › ${title}`),
    ...flakyTitles(inner),
  ]);
}

/** Files, and from the first option on what the runner is to know. */
function splitArguments(words) {
  const first = words.findIndex((word) => word.startsWith('-'));
  return first === -1 ? [words, []] : [words.slice(0, first), words.slice(first)];
}

/** A run that ended badly without a failed test counts as one. */
function total(passed, failed, code) {
  return { passed, failed: code !== 0 && failed === 0 ? 1 : failed, ok: code === 0 };
}

function show(program, args, environment = {}) {
  const child = spawn(process.execPath, [program, ...args], {
    stdio: 'inherit',
    env: { ...process.env, ...environment },
  });
  // The terminal tells the child as well: wait for it to clean up.
  for (const signal of ['SIGINT', 'SIGTERM']) process.on(signal, () => child.kill(signal));
  return new Promise((resolve, reject) => {
    child.on('error', reject);
    child.on('close', (code) => resolve(code ?? 1));
  });
}

function readReport(file) {
  return existsSync(file) ? JSON.parse(readFileSync(file, 'utf8')) : {};
}

function hasBrowserTests() {
  return readdirSync('e2e', { recursive: true }).some((file) => String(file).endsWith('.spec.ts'));
}
