import { spawn, spawnSync } from 'node:child_process';
import { existsSync, mkdirSync, readFileSync, rmSync } from 'node:fs';
import { createInterface } from 'node:readline';
import { stripVTControlCharacters } from 'node:util';
import { requireBrowser } from './find-browser.mjs';
import {
  buildPages,
  buildWidget,
  bundle,
  bundleServer,
  enterProject,
  fail,
  generateClient,
  installDependencies,
} from './steps.mjs';

/**
 * Sets up what is missing, runs tests, and ends with a one-line summary.
 *
 *   npm test                           every test that needs only Node
 *   npm run test:browser               the tests in a browser
 *   npm test -- PATH ... [OPTION ...]  files or folders, with options of their runner, such as -g title
 *   npm test -- --list-attacks         prints the titles of the tests that repeat an attack
 */

const RESULTS = '.build/test-results';
const VITEST = ['node_modules/vitest/vitest.mjs'];
const PLAYWRIGHT = ['node_modules/playwright/cli.js', 'test', '--config', 'e2e/playwright.config.ts'];

enterProject();
const [paths, options] = splitArguments(process.argv.slice(2));
const browserPaths = paths.filter((path) => /(^|\/)e2e(\/|$)/.test(path));
const otherPaths = paths.filter((path) => !browserPaths.includes(path));
const runsPlaywright = browserPaths.length > 0;
const runsVitest = otherPaths.length > 0 || !runsPlaywright;
const isFew = paths.length > 0 && paths.every((path) => path.endsWith('.ts'));

await installDependencies({ dev: true });
if (options[0] === '--list-attacks') process.exit(listAttacks());
await generateClient();
await buildWidget();
await bundleServer();
// Before any test, because building takes both cores.
if (runsPlaywright || !isFew) await buildPages();
rmSync(RESULTS, { recursive: true, force: true });
mkdirSync(RESULTS, { recursive: true });

const browser = runsPlaywright ? await requireBrowser() : {};
const database = isFew ? undefined : await startDatabase();
const runs = [];
// One after the other: at the same time, both take longer than they save, and tests time out.
if (runsVitest) runs.push(await runVitest());
if (runsPlaywright) runs.push(await runPlaywright());
await database?.stop();

const passed = runs.reduce((sum, run) => sum + run.passed, 0);
const failed = runs.reduce((sum, run) => sum + run.failed, 0);
for (const remark of runs.flatMap((run) => run.remarks)) console.log(remark);
const ok = failed === 0 && passed > 0 && runs.every((run) => run.ok);
console.log(`\ntests: ${passed} passed, ${failed} failed`);
process.exit(ok ? 0 : 1);

/** Their titles contain `@attack`, or that of a group around them does. */
function listAttacks() {
  const lists = [
    [...VITEST, 'list', '--static-parse', '-t', '@attack'],
    [...PLAYWRIGHT, '--list', '-g', '@attack'],
  ].map((args) =>
    spawnSync(process.execPath, args, { encoding: 'utf8', stdio: ['ignore', 'pipe', 'inherit'] }),
  );
  for (const { stdout } of lists) console.log(stdout.replaceAll(' @attack', '').trimEnd());
  return lists.every(({ status }) => status === 0) ? 0 : 1;
}

async function runVitest() {
  const report = `${RESULTS}/vitest.json`;
  const code = await runTests(
    [
      ...VITEST,
      'run',
      '--reporter=default',
      '--reporter=./scripts/vitest-summary.mjs',
      ...otherPaths,
      ...options,
    ],
    { VITEST_SUMMARY: report },
  );
  const { passed = 0, failed = [], flaky = [] } = readReport(report);
  return total(code, passed, failed, flaky);
}

async function runPlaywright() {
  const report = `${RESULTS}/playwright.json`;
  // Each worker has a server, and a file stays with one.
  const workers = browserPaths.length === 1 && isFew ? ['--workers=1'] : [];
  const code = await runTests([...PLAYWRIGHT, ...workers, ...browserPaths, ...options], browser);
  const tests = listTests(readReport(report).suites);
  const withStatus = (wanted) => tests.filter(({ status }) => status === wanted);
  const [expected, failed, flaky] = ['expected', 'unexpected', 'flaky'].map(withStatus);
  // Of a build machine, nothing but the output is left.
  if (process.env.CI) for (const { title, results } of [...failed, ...flaky]) printPages(title, results);
  return total(code, expected.length + flaky.length, failed, flaky);
}

/** The pages on which a test failed, as a screen reader would read them. */
function printPages(title, results) {
  const attachments = results.flatMap((result) => result.attachments);
  for (const { path } of attachments.filter(({ name }) => name === 'error-context')) {
    const [, snapshot = 'nothing'] = /```yaml\n(.*?)```/s.exec(readFileSync(path, 'utf8')) ?? [];
    console.log(
      `\n${title} failed on this page:\n${snapshot.replaceAll(/ \[(ref=\w+|cursor=pointer)\]/g, '')}`,
    );
  }
}

/** Of a Playwright report, at any depth: `{ title, message, status, results }`. */
function listTests(suites = []) {
  return suites.flatMap(({ file, specs = [], suites: inner = [] }) => [
    ...specs.flatMap(({ title, tests }) =>
      tests.map(({ status, results }) => ({
        title: `${file} › ${title}`,
        message: firstLine(results.find(({ error }) => error)?.error.message),
        status,
        results,
      })),
    ),
    ...listTests(inner),
  ]);
}

function firstLine(text = '') {
  return stripVTControlCharacters(text).split('\n')[0];
}

/** Paths, then options of the runner from the first word that starts with a dash. */
function splitArguments(words) {
  const first = words.findIndex((word) => word.startsWith('-'));
  return first === -1 ? [words, []] : [words.slice(0, first), words.slice(first)];
}

/** Failures are listed again next to the totals. A run that fails without a failed test counts as one. */
function total(code, passed, failed, flaky) {
  const remarkOn = (list, word) =>
    list.map(({ title, message }) => `${word}: ${title}${message ? ` (${message})` : ''}`);
  return {
    ok: code === 0,
    passed,
    failed: Math.max(failed.length, code === 0 ? 0 : 1),
    remarks: [...remarkOn(flaky, 'failed once'), ...remarkOn(failed, 'failed')],
  };
}

function runTests(args, environment = {}) {
  const server = database && { TEST_DATABASE_SERVER: database.address };
  const env = { ...process.env, ...server, ...environment };
  const child = spawn(process.execPath, args, { stdio: 'inherit', env });
  // Both runners clean up on SIGINT only. The terminal sends it to the child as well.
  for (const signal of ['SIGINT', 'SIGTERM']) process.on(signal, () => child.kill('SIGINT'));
  return new Promise((resolve, reject) => {
    child.on('error', reject);
    child.on('close', (code) => resolve(code ?? 1));
  });
}

/** One database server for all tests, of both runners. */
async function startDatabase() {
  await bundle('tests/harness/serve-database.ts', 'serve-database');
  const child = spawn(process.execPath, ['.build/serve-database.mjs'], {
    stdio: ['pipe', 'pipe', 'inherit'],
  });
  const closed = new Promise((resolve) => child.once('close', resolve));
  const lines = createInterface({ input: child.stdout });
  const address = await Promise.race([new Promise((resolve) => lines.once('line', resolve)), closed]);
  if (typeof address !== 'string') fail('The database server of the tests did not start.');
  return {
    address,
    stop() {
      child.stdin.end();
      return closed;
    },
  };
}

function readReport(file) {
  return existsSync(file) ? JSON.parse(readFileSync(file, 'utf8')) : {};
}
