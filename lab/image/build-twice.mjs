import { spawnSync } from 'node:child_process';
import { createHash } from 'node:crypto';
import { lstatSync, mkdirSync, mkdtempSync, readdirSync, readFileSync, readlinkSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { enterProject, fail } from '../../scripts/steps.mjs';

/**
 * `npm run build-twice`: builds the committed revision twice, each from its own `npm ci`, and compares every file of
 * the two images. Next writes the folder into its files, so both are built in the same one, as the Dockerfile does.
 */

/** Next makes keys for its preview mode anew, which no page uses. */
const PREVIEW_KEY = /("preview\w+": ?")[0-9a-f]{32,64}"/g;
const HAS_PREVIEW_KEYS = /^\.next\/(prerender-manifest|server\/preview-props)\.json$/;

enterProject();
const folder = mkdtempSync(path.join(tmpdir(), 'svc-twice-'));
process.once('exit', () => rmSync(folder, { recursive: true }));
const [one, other] = ['first', 'second'].map(build);
const files = [...new Set([...one.keys(), ...other.keys()])].sort();
const different = files.filter((file) => one.get(file) !== other.get(file));
if (different.length > 0)
  fail(`${different.length} of ${files.length} files differ:\n${different.join('\n')}`);
const all = createHash('sha256').update(files.map((file) => `${file} ${one.get(file)}\n`).join(''));
console.log(`${files.length} files, all the same in both images: sha256:${all.digest('hex')}`);

/** @param {string} name */
function build(name) {
  const source = path.join(folder, 'src');
  const image = path.join(folder, name);
  mkdirSync(source);
  run('sh', ['-c', `git archive HEAD | tar -x -C '${source}'`]);
  run('npm', ['ci', '--omit=dev', '--ignore-scripts', '--no-audit', '--no-fund'], source);
  run('npm', ['run', '--silent', 'build'], source);
  run('npm', ['run', '--silent', 'image', '--', image], source);
  rmSync(source, { recursive: true });
  return hashFiles(image);
}

/** @param {string} command @param {string[]} args @param {string} [cwd] */
function run(command, args, cwd) {
  const { status } = spawnSync(command, args, { cwd, stdio: 'inherit' });
  if (status !== 0) fail(`${command} ${args.join(' ')} failed`);
}

/** @param {string} image */
function hashFiles(image) {
  const names = /** @type {string[]} */ (readdirSync(image, { recursive: true }));
  const hashes = names.flatMap((name) => {
    const file = path.join(image, name);
    const stat = lstatSync(file);
    if (stat.isDirectory()) return [];
    const content = stat.isSymbolicLink() ? readlinkSync(file) : readContent(file, name);
    return [/** @type {const} */ ([name, createHash('sha256').update(content).digest('hex')])];
  });
  return new Map(hashes);
}

/** @param {string} file @param {string} name */
function readContent(file, name) {
  return HAS_PREVIEW_KEYS.test(name)
    ? readFileSync(file, 'utf8').replace(PREVIEW_KEY, '$1"')
    : readFileSync(file);
}
