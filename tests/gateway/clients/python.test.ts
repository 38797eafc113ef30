import { execFile } from 'node:child_process';
import { mkdtempSync, readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { promisify } from 'node:util';
import { describe, expect, test } from 'vitest';
import { buildDocument } from '@/server/api/openapi/document';
import { OPERATIONS } from '@/server/api/openapi/operations';
import { readBlock } from '../../harness/blocks';
import { completion, message } from '../../harness/scripted-responses';
import packages from './python/packages.json';
import { startClientWorld } from './world';

/** `npm --prefix lab run python-clients` installs them and sets this to the folder of their environments. */
const { PYTHON_CLIENTS = '' } = process.env;
const TIMEOUT_MS = 120_000;
const GENERATOR = 'openapi-python-client';
/** Those with a defect of the past in `check.py`. */
const CHECKED = [
  'openai',
  'anthropic',
  'instructor',
  'pydantic-ai',
  'langchain',
  'litellm',
  'openai-agents',
  'llama-index',
];
const run = promisify(execFile);
/** What the guide calls each feature, in its order. */
const FEATURES = { chat: 'text', stream: 'streaming', tools: 'tools', structured: 'structured output' };
/** One feature of a client, with a provider of one format. */
type Cell = { way: string; feature: string; format: string; error: string | null };
const programs = (client: string): string =>
  path.join(PYTHON_CLIENTS, client, process.platform === 'win32' ? 'Scripts' : 'bin');

describe.runIf(PYTHON_CLIENTS !== '')('the Python clients', async () => {
  const { url, person, upstream } = await startClientWorld();
  upstream.script('gpt-5', completion({ content: 'Oslo' }));
  upstream.script('claude-opus-5-5', message([{ type: 'text', text: '{"city":"Oslo"}' }]));
  const clients = Object.entries(packages).filter(([name]) => name !== GENERATOR);
  const call = async (script: string, client: string): Promise<string> => {
    const args = [`tests/gateway/clients/python/${script}.py`, client, url, person.userKey];
    const { stdout } = await run(path.join(programs(client), 'python'), args, { timeout: TIMEOUT_MS });
    return stdout;
  };

  test.each(clients)(
    '%s works as it is installed, with providers of both formats, as the guide says',
    async (client, requirements) => {
      const lines = (await call('matrix', client)).split('\n').filter((line) => line.startsWith('{'));
      const cells = lines.map((line): Cell => JSON.parse(line));
      expect(cells.filter(({ error }) => error !== null)).toEqual([]);
      const guide = readFileSync('docs/clients.md', 'utf8').split('\n');
      expect(writeRows(requirements, cells).filter((row) => !guide.includes(row))).toEqual([]);
    },
    TIMEOUT_MS,
  );

  test.each([
    ['openai', readBlock('docs/clients.md', 'from openai import OpenAI')],
    ['anthropic', readBlock('docs/clients.md', 'from anthropic import Anthropic')],
  ])(
    'the snippet for %s in the guide prints a response',
    async (client, code) => {
      const { stdout } = await run(
        path.join(programs(client), 'python'),
        ['-c', code.replace('http://localhost:3000', url)],
        { timeout: TIMEOUT_MS, env: { ...process.env, SVC_USER_KEY: person.userKey } },
      );
      expect(stdout.split(' ').length).toBeGreaterThan(10);
    },
    TIMEOUT_MS,
  );

  test.each(CHECKED)(
    '%s handles what once failed',
    async (client) => {
      expect(await call('check', client)).toMatch(/^ok /m);
    },
    TIMEOUT_MS,
  );

  test(
    `${GENERATOR} generates every operation`,
    async () => {
      const folder = mkdtempSync(path.join(tmpdir(), 'generated-'));
      const document = path.join(folder, 'openapi.json');
      writeFileSync(document, JSON.stringify(buildDocument()));
      const output = path.join(folder, 'client');
      const args = ['generate', '--path', document, '--output-path', output];
      const env = { ...process.env, PATH: [programs(GENERATOR), process.env.PATH].join(path.delimiter) };
      await run(path.join(programs(GENERATOR), GENERATOR), args, { env, timeout: TIMEOUT_MS });
      const files = readdirSync(output, { recursive: true, encoding: 'utf8' });
      rmSync(folder, { recursive: true });
      const toFile = (id: string) => `${id.replace(/[A-Z]/g, (letter) => `_${letter.toLowerCase()}`)}.py`;
      expect(files.map((file) => path.basename(file))).toEqual(
        expect.arrayContaining(OPERATIONS.map(({ id }) => toFile(id))),
      );
    },
    TIMEOUT_MS,
  );
});

/** The rows of the guide's table: each way to call the service, with the features that work. */
function writeRows(requirements: string, cells: readonly Cell[]): string[] {
  const [requirement = ''] = requirements.split(' ');
  const [name = '', version] = requirement.replace(/\[.*\]/, '').split('==');
  return [...new Set(cells.map(({ way }) => way))].map((way) => {
    const names = Object.entries(FEATURES)
      .filter(([feature]) => cells.some((cell) => cell.way === way && cell.feature === feature))
      .map(([, shown]) => shown);
    const works = names.length === Object.keys(FEATURES).length ? 'all' : names.join(', ');
    return `| ${[`${name} (Python)`, version, way, works].join(' | ')} |`;
  });
}
