import { execFile } from 'node:child_process';
import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { afterAll, expect, test } from 'vitest';
import { readHistory } from '@/server/ledger';
import { readBlock } from '../../harness/blocks';
import { newPerson } from '../../harness/people';
import { CLAUDE, startClientWorld } from './world';

/** The snippets of docs/clients.md, run unchanged except for the address. */

const { url } = await startClientWorld();
const ADDRESS = 'http://localhost:3000';
/** The sandbox streams the story at the speed of a real model. */
const TIMEOUT_MS = 60_000;
const run = promisify(execFile);

const snippets = [
  ['openai', readBlock('docs/clients.md', "import OpenAI from 'openai'")],
  ['@anthropic-ai/sdk', readBlock('docs/clients.md', "import Anthropic from '@anthropic-ai/sdk'")],
  ['@ai-sdk/openai-compatible', readBlock('docs/clients.md', "from '@ai-sdk/openai-compatible'")],
  ['@langchain/openai', readBlock('docs/clients.md', "from '@langchain/openai'")],
] as const;

// The folder is inside the project, so that Node finds its packages.
mkdirSync('.build', { recursive: true });
const folder = mkdtempSync('.build/snippets-');
afterAll(() => rmSync(folder, { recursive: true }));

test.concurrent.each(snippets)(
  'the snippet for %s prints a response, which is charged',
  async (client, code) => {
    const person = await newPerson({ credits: 100 });
    const file = join(folder, `${client.replace(/\W/g, '-')}.mjs`);
    expect(code).toContain(ADDRESS);
    writeFileSync(file, code.replaceAll(ADDRESS, url));
    const { stdout } = await run(process.execPath, [file], {
      env: { NODE_ENV: 'test', PATH: process.env.PATH, SVC_USER_KEY: person.userKey },
    });

    expect(stdout.split(' ').length).toBeGreaterThan(10);
    const { entries } = await readHistory(
      { userId: person.userId, partnerId: person.partnerId },
      { limit: 1, offset: 0 },
    );
    expect(entries[0]).toMatchObject({ type: 'usage', usage: { model: 'sandbox/story' } });
  },
  TIMEOUT_MS,
);

test('the curl command, which the README repeats, gets a response', async () => {
  const person = await newPerson({ credits: 100 });
  const command = readBlock('docs/clients.md', 'curl ');
  expect(readBlock('README.md', 'curl ')).toBe(command);
  const [, path = ''] = new RegExp(`${ADDRESS}(\\S+)`).exec(command) ?? [];
  const [, body = ''] = /-d '(.+)'/.exec(command) ?? [];
  const response = await fetch(url + path, {
    method: 'POST',
    headers: { authorization: `Bearer ${person.userKey}`, 'content-type': 'application/json' },
    body,
  });
  expect((await response.json()).choices[0].message.content).toMatch(/\w/);
});

test('the models in the Claude Code settings are served', async () => {
  const { data } = await (await fetch(`${url}/v1/models`)).json();
  const settings = readBlock('docs/clients.md', 'export ANTHROPIC_BASE_URL');
  const named = settings.match(/anthropic\/claude-[\w-]+/g) ?? [];
  expect(named).toContain(CLAUDE);
  expect(data.map(({ id }: { id: string }) => id)).toEqual(expect.arrayContaining(named));
});
