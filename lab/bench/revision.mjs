// @ts-check
import { execFileSync, spawn } from 'node:child_process';
import { once } from 'node:events';
import { existsSync, linkSync, mkdirSync, readdirSync, readlinkSync, symlinkSync } from 'node:fs';
import path from 'node:path';
import { pathToFileURL } from 'node:url';
import { childEnvironment, ROOT } from './servers.mjs';

/**
 * Another commit of this repository, built in a worktree of its own. The worktree is kept for the next run, which
 * then builds only what differs.
 */

const DIRECTORY = path.join(ROOT, '.data/bench/revision');

/** Returns the directory of a commit's files. @param {string} revision a commit, or a directory with a checkout */
export function checkOut(revision) {
  if (existsSync(path.join(revision, 'package.json'))) return path.resolve(revision);
  const commit = findCommit(revision);
  if (existsSync(path.join(DIRECTORY, '.git')))
    git(DIRECTORY, 'checkout', '--quiet', '--force', '--detach', commit);
  else {
    mkdirSync(path.dirname(DIRECTORY), { recursive: true });
    git(ROOT, 'worktree', 'prune');
    git(ROOT, 'worktree', 'add', '--quiet', '--force', '--detach', DIRECTORY, commit);
  }
  // Its own start installs what differs from our packages.
  if (!existsSync(path.join(DIRECTORY, 'node_modules')))
    linkTree(path.join(ROOT, 'node_modules'), path.join(DIRECTORY, 'node_modules'));
  return DIRECTORY;
}

/** @param {string} revision */
function findCommit(revision) {
  try {
    return git(ROOT, 'rev-parse', '--verify', '--quiet', `${revision}^{commit}`);
  } catch {
    throw new Error(`${revision} is neither a commit nor a checkout`);
  }
}

/** Does what `npm start` would do in that directory, and for operator commands. @param {string} root */
export async function buildIn(root) {
  const steps = pathToFileURL(path.join(root, 'scripts/steps.mjs')).href;
  const script = `
    import { existsSync } from 'node:fs';
    const steps = await import(${JSON.stringify(steps)});
    steps.enterProject();
    await steps.installDependencies({ dev: true });
    for (const name of ['generateClient', 'buildWidget', 'buildPages', 'bundleServer']) await steps[name]();
    // Older revisions build the commands on their own.
    await steps.bundleCommands?.();
    // Older revisions have it in scripts.
    await steps.bundle(['lab/year.ts', 'scripts/year.ts'].find((file) => existsSync(file)), 'year');`;
  await runNode(root, ['--input-type=module', '--eval', script]);
}

/** @param {string} root @param {string[]} args @param {Record<string, string>} [env] */
export async function runNode(root, args, env) {
  const child = spawn(process.execPath, args, { cwd: root, env: childEnvironment(env), stdio: 'inherit' });
  const [code] = await once(child, 'exit');
  if (code !== 0) throw new Error(`node ${args.at(-1)} in ${root} ended with ${code}`);
}

/** @param {string} directory @param {string[]} args */
function git(directory, ...args) {
  return execFileSync('git', ['-C', directory, ...args], { encoding: 'utf8' }).trim();
}

/** A copy of a directory that takes no space. @param {string} from @param {string} to */
function linkTree(from, to) {
  mkdirSync(to);
  for (const entry of readdirSync(from, { withFileTypes: true })) {
    const [source, target] = [path.join(from, entry.name), path.join(to, entry.name)];
    if (entry.isDirectory()) linkTree(source, target);
    else if (entry.isSymbolicLink()) symlinkSync(readlinkSync(source), target);
    else linkSync(source, target);
  }
}
