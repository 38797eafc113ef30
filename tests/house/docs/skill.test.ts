import { execFile } from 'node:child_process';
import { existsSync, readdirSync, readFileSync } from 'node:fs';
import { promisify } from 'node:util';
import { beforeAll, expect, test } from 'vitest';
import { settings } from '@/server/base/env';
import { buildWidget } from '../../../scripts/steps.mjs';
import { newDatabase } from '../../harness';
import { startApi } from '../../harness/api-server';
import { readBlock } from '../../harness/blocks';
import { newPerson } from '../../harness/people';

/** What `/skill.md` and the recipes tell an agent to run and to open. */

await newDatabase();
const { url } = await startApi();
settings().BASE_URL = url;
const { publishableKey } = await newPerson();
beforeAll(() => buildWidget(), 120_000);

const skill = readFileSync('widget/skill.md', 'utf8');
const recipes = readFileSync('docs/recipes.md', 'utf8');
const fill = (text: string): string =>
  text.replaceAll('https://YOUR-SERVICE', url).replaceAll('svc_pk_…', publishableKey);

const TEMPLATES = readdirSync('widget/templates').sort();

test('the skill and the recipes name every template, and no other', () => {
  const [, listed = ''] = /^Templates: ([^.]+)\./m.exec(skill) ?? [];
  expect(listed.replaceAll('`', '').split(', ').sort()).toEqual(TEMPLATES);
  const rows = [...recipes.matchAll(/^\| `(\w[\w-]*)` \|/gm)].map(([, name]) => name);
  expect(rows.sort()).toEqual(TEMPLATES);
});

test('their commands install files that every installation serves', () => {
  const files = [...`${skill}${recipes}`.matchAll(/https:\/\/YOUR-SERVICE\/(v1\/[\w./-]+\.(?:tgz|js))/g)];
  expect(files.length).toBeGreaterThan(3);
  expect(files.filter(([, file]) => !existsSync(`public/${file}`))).toEqual([]);
});

test('the last check of the skill prints the prices of the app', async () => {
  const command = readBlock('widget/skill.md', 'curl ');
  const { stdout } = await promisify(execFile)('sh', ['-c', fill(command)]);
  expect(stdout).toMatch(/^\{"token_assumption".+"credits_per_request"/);
});

test('the link of the skill fills in what the page for a new app reads', () => {
  const link = new URL(readBlock('widget/skill.md', '/partner/new?').trim());
  const page = readFileSync('app/(partner)/partner/new/page.tsx', 'utf8');
  const names = [...page.matchAll(/read\('(\w+)'\)/g)].map(([, name]) => name);
  // A proposal comes from the MCP server.
  expect([...link.searchParams.keys(), 'proposal'].sort()).toEqual(names.sort());
});

test('every guide that the skill names exists as Markdown', () => {
  const named = [...skill.matchAll(/https:\/\/YOUR-SERVICE\/docs\/([\w-]+)\.md/g)].map(([, name]) => name);
  expect(named.filter((name) => !existsSync(`docs/${name}.md`))).toEqual([]);
});
