import { spawnSync } from 'node:child_process';
import { existsSync, mkdtempSync, readdirSync, readFileSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { buildWidget } from '../../scripts/steps.mjs';
import { listBlocks } from '../harness/blocks';

/** `create-svc-app` and its templates. `npm --prefix lab run templates` builds them and tries them out. */

const folder = mkdtempSync(path.join(tmpdir(), 'templates-'));
beforeAll(() => buildWidget(), 120_000);
afterAll(() => rmSync(folder, { recursive: true }));

const KEY = 'svc_pk_0123456789abcdef';
const SERVICE = 'https://pay.example.com';
const TEMPLATES = readdirSync('widget/templates').sort();

const create = (...words: string[]) =>
  spawnSync(process.execPath, [path.resolve('widget/create/dist/create.js'), ...words], {
    cwd: folder,
    encoding: 'utf8',
    stdio: ['ignore', 'pipe', 'pipe'],
  });

const read = (root: string): { name: string; text: string }[] =>
  readdirSync(root, { recursive: true, withFileTypes: true })
    .filter((entry) => entry.isFile())
    .map(({ parentPath, name }) => ({ name, text: readFileSync(path.join(parentPath, name), 'utf8') }));

const linesOf = (text: string): number => text.split('\n').length - 1;

describe.each(TEMPLATES)('the template %s', (template) => {
  test('has at most 120 lines, and a README of about 20', () => {
    const files = read(`widget/templates/${template}`);
    const readme = files.find(({ name }) => name === 'README.md');
    const lines = files.reduce((sum, { text }) => sum + linesOf(text), 0) - linesOf(readme?.text ?? '');
    expect(lines).toBeLessThanOrEqual(120);
    expect(linesOf(readme?.text ?? '')).toBeGreaterThan(15);
    expect(linesOf(readme?.text ?? '')).toBeLessThan(25);
  });

  test('has a README with scripts and programs of its package', () => {
    const manifest = `widget/templates/${template}/package.json`;
    const { scripts, dependencies } = existsSync(manifest)
      ? JSON.parse(readFileSync(manifest, 'utf8'))
      : // Any server serves a page without a package.
        { scripts: {}, dependencies: { serve: '*' } };
    const code = listBlocks(`widget/templates/${template}/README.md`).map((block) => block.code);
    const [run, programs] = [/^npm (?:run )?(?!install)(\S+)/gm, /^npx (\S+)/gm].map((line) =>
      [...code.join('').matchAll(line)].map(([, name = '']) => name),
    );
    expect(run?.filter((name) => !(name in scripts))).toEqual([]);
    expect(programs?.filter((name) => !(name in dependencies))).toEqual([]);
  });

  test('becomes an app with the key, the model and the address of the service, and without a placeholder', () => {
    const app = `my-${template}`;
    const made = create(app, '--template', template, '--key', KEY, '--service', SERVICE, '--model', 'a/b');
    expect([made.status, made.stderr]).toEqual([0, '']);
    const texts = read(path.join(folder, app)).map(({ text }) => text);
    const all = texts.join('\n');
    for (const filled of [KEY, SERVICE, 'a/b', app]) expect(all).toContain(filled);
    for (const left of ['YOUR-SERVICE', 'svc_pk_…', 'my-svc-app', 'sandbox/story'])
      expect(all).not.toContain(left);
  });
});

test.each<[string, string[], string]>([
  ['a name that is none of a package', ['My_App'], 'lowercase letters'],
  ['a path out of the folder', ['../..', '--template', 'html'], 'lowercase letters'],
  ['an unknown template', ['a', '--template', '../loader'], '--template: ../loader does not exist'],
  [
    'a user key instead of a publishable key',
    ['a', '--template', 'html', '--key', 'svc_sk_1'],
    '--key: expected',
  ],
  ['no address', ['a', '--template', 'html', '--key', KEY], 'Address of the service is missing'],
  ['an unknown option', ['a', '--tempalte', 'html'], 'See --help'],
])('%s is a clear error, and nothing is written', (_, words, message) => {
  const { status, stderr } = create(...words);
  expect(status).toBe(1);
  expect(stderr).toMatch(/^create-svc-app: .+\n$/);
  expect(stderr).toContain(message);
  expect(existsSync(path.join(folder, 'a'))).toBe(false);
});

test('a folder that exists is not changed', () => {
  const words = ['twice', '--template', 'html', '--key', KEY, '--service', SERVICE, '--model', 'a/b'];
  expect(create(...words).status).toBe(0);
  const before = read(path.join(folder, 'twice'));
  expect(create(...words.with(2, 'expo')).stderr).toContain('twice cannot be created');
  expect(read(path.join(folder, 'twice'))).toEqual(before);
});
