import { execFile } from 'node:child_process';
import { readFileSync } from 'node:fs';
import { promisify } from 'node:util';
import { enterProject, fail } from './steps.mjs';

/**
 * `npm run audit`: asks the package registry for advisories about the locked packages. Exit code 1
 * when one needs a decision, 2 when the registry does not answer: then nothing was checked. An
 * advisory that does not concern this product is accepted until a date, with the reason, in
 * `.ci/allowed-advisories.json`: `[{ "package", "advisory", "reason", "until": "2027-01-31" }]`.
 */

const NOT_CHECKED = 2;

enterProject();
const accepted = readAccepted(process.argv[2] ?? '.ci/allowed-advisories.json');
const expired = accepted.filter(({ until }) => Date.parse(until) < Date.now());
for (const { advisory, package: name, until } of expired)
  console.error(
    `${name}: the acceptance of ${advisory} ended on ${until}. Update the package, or decide again.`,
  );

const report = await readReport();
const open =
  report.advisories?.filter((advisory) => !accepted.some((entry) => isAbout(entry, advisory))) ?? [];
for (const { id, name, severity, title, range } of open)
  console.error(`${name} ${range}: ${severity}: ${title} (${id})`);

if (report.advisories === undefined)
  console.error(`The registry could not be reached (${report.problem}): the dependencies were not checked.`);
else if (open.length === 0) console.log(`No open advisories, ${accepted.length} accepted.`);
process.exit(open.length + expired.length > 0 ? 1 : report.advisories === undefined ? NOT_CHECKED : 0);

function readAccepted(file) {
  const entries = JSON.parse(readFileSync(file, 'utf8'));
  for (const entry of entries) {
    const isComplete = ['package', 'advisory', 'reason'].every((name) => entry[name]?.length > 0);
    if (!isComplete || !/^\d{4}-\d\d-\d\d$/.test(entry.until))
      fail(`${file}: expected package, advisory, reason and until (2027-01-31): ${JSON.stringify(entry)}`);
  }
  return entries;
}

function isAbout(entry, { id, name }) {
  return entry.package === name && entry.advisory === id;
}

/** npm fails both for advisories and without an answer: only its report shows which. */
async function readReport() {
  const run = promisify(execFile)('npm', ['audit', '--json', '--package-lock-only'], { maxBuffer: 2 ** 26 });
  const { stdout } = await run.catch((failure) => failure);
  const { vulnerabilities, message = 'no report' } = JSON.parse(stdout || '{}');
  if (vulnerabilities === undefined) return { problem: message };
  const found = Object.values(vulnerabilities)
    .flatMap(({ via }) => via)
    .filter((via) => typeof via === 'object')
    .map((via) => ({ ...via, id: via.url.split('/').at(-1) }));
  return { advisories: [...new Map(found.map((via) => [`${via.name} ${via.id}`, via])).values()] };
}
