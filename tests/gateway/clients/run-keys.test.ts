import { execFile } from 'node:child_process';
import { mkdirSync, readFileSync, writeFileSync } from 'node:fs';
import path from 'node:path';
import { promisify } from 'node:util';
import { expect, test } from 'vitest';
import { wholeCredits } from '@/server/base/credits';
import type { Json } from '@/server/gateway/protocols/neutral';
import { checkLedger } from '@/server/ledger';
import { raiseRunKey } from '@/server/people/keys/run-keys-of-user';
import { readBlock } from '../../harness/blocks';
import { completion, messageStream, response } from '../../harness/scripted-responses';
import type { Reply } from '../../harness/scripted-upstream';
import { startClientWorld, upstreamName } from './world';

/** The examples of docs/keys.md, run unchanged: each spends a run key of two dollars until it is refused. */

const { NPM_CLIENTS = '', PYTHON_CLIENTS = '' } = process.env;
const TIMEOUT_MS = 180_000;
const run = promisify(execFile);
const { url, person, upstream } = await startClientWorld();
const GPT = 'openai/gpt-5';
const CLAUDE = 'anthropic/claude-sonnet-5';

const guide = readFileSync('docs/keys.md', 'utf8').split('### Two dollars for an agent')[1] ?? '';
const AGENTS = readBlock('docs/keys.md', 'claude --print');
const lineWith = (text: string): string => AGENTS.split('\n').find((line) => line.includes(text)) ?? '';

const REFUSED =
  /This request costs at least [\d.,]+ credits?, and [\d.]+ are left of the budget of this run key, or of one above it\. The user can raise it at (http\S+\/continue\?token=[\w-]+)/;

type Env = Record<string, string | undefined>;
type Ended = { output: string; failed: boolean };

async function runShell(script: string, env: Env, cwd = process.cwd()): Promise<Ended> {
  const running = run('sh', ['-c', script], {
    cwd,
    env: { NODE_ENV: 'test', PATH: process.env.PATH, ...env },
  });
  running.child.stdin?.end();
  return running.then(
    ({ stdout, stderr }) => ({ output: stdout + stderr, failed: false }),
    ({ stdout, stderr }) => ({ output: stdout + stderr, failed: true }),
  );
}

/** By the first example. */
async function mintRunKey(): Promise<{ SVC: string; RUN_KEY: string }> {
  const script = `${readBlock('docs/keys.md', 'RUN_KEY=$(').replace('https://YOUR-SERVICE', url)}printf %s "$RUN_KEY"`;
  const { output } = await runShell(script, { USER_KEY: person.userKey });
  expect(output).toMatch(/^svc_sk_\w{49}$/);
  return { SVC: url, RUN_KEY: output };
}

/** As a provider whose model uses all the output it may. */
const spending =
  (reply: Reply) =>
  (body: Json): Reply => {
    const most = Number(body.max_tokens ?? body.max_completion_tokens ?? body.max_output_tokens);
    const spend = (value: unknown): unknown => {
      if (Array.isArray(value)) return value.map(spend);
      if (typeof value !== 'object' || value === null) return value;
      const fields = Object.entries(value).map(([name, field]) => [
        name,
        name === 'completion_tokens' || name === 'output_tokens' ? most : spend(field),
      ]);
      return Object.fromEntries(fields);
    };
    return spend(reply) as Reply;
  };

async function readKey({ RUN_KEY }: { RUN_KEY: string }): Promise<{ key_id: string; spent: number }> {
  const headers = { authorization: `Bearer ${RUN_KEY}` };
  return (await (await fetch(`${url}/v1/credits/balance`, { headers })).json()).key;
}

async function expectSpent(env: { RUN_KEY: string }): Promise<void> {
  const key = await readKey(env);
  expect(key.spent).toBeGreaterThan(150);
  expect(key.spent).toBeLessThanOrEqual(200);
  expect((await checkLedger()).differences).toEqual([]);
}

/** Until it fails. */
async function spendAll(work: (env: Env) => Promise<Ended>): Promise<string> {
  const env = await mintRunKey();
  let ended = await work(env);
  expect(ended.output).toContain('Done');
  for (let times = 0; times < 10 && !ended.failed; times++) ended = await work(env);
  await expectSpent(env);
  return ended.output;
}

test(
  'a shell script spends two dollars, and then prints the address where the user raises the budget',
  async () => {
    upstream.script(upstreamName(GPT), spending(completion({ content: 'Done' })));
    const script = readBlock('docs/keys.md', 'curl -s --fail-with-body');
    expect(await spendAll((env) => runShell(script, env))).toMatch(REFUSED);
  },
  TIMEOUT_MS,
);

test.runIf(PYTHON_CLIENTS !== '').each([
  ['openai-agents', readBlock('docs/keys.md', 'from agents')],
  ['langchain', readBlock('docs/keys.md', 'from langgraph')],
])(
  'the example for %s spends two dollars, and ends with the address',
  async (client, program) => {
    const done = client === 'langchain' ? completion({ content: 'Done' }) : response([DONE]);
    upstream.script(upstreamName(GPT), spending(done));
    const python = path.join(PYTHON_CLIENTS, client, 'bin/python');
    const output = await spendAll((env) => runShell(`${python} - <<'END'\n${program}\nEND`, env));
    expect(output).toMatch(REFUSED);
  },
  TIMEOUT_MS,
);

const DONE = {
  type: 'message',
  role: 'assistant',
  content: [{ type: 'output_text', text: 'Done', annotations: [] }],
};

/** An agent that never finishes: each turn calls a tool. */
const callsForever = (name: string, input: Json) =>
  spending(
    messageStream(
      [
        { type: 'text', text: 'Done' },
        { type: 'tool_use', id: 'toolu_1', name, input },
      ],
      'tool_use',
    ),
  );

/** As the guide says: after the user has raised the budget. */
async function expectToGoOn(
  env: { RUN_KEY: string },
  command: string,
  goOn: (command: string) => Promise<Ended>,
) {
  const { key_id: keyId } = await readKey(env);
  expect(await raiseRunKey(person.userId, keyId, wholeCredits(400))).toBeNull();
  upstream.script(upstreamName(CLAUDE), messageStream([{ type: 'text', text: 'All tests pass.' }]));
  expect(guide).toContain(`\`${command}\``);
  expect(await goOn(command)).toEqual({ output: expect.stringContaining('All tests pass.'), failed: false });
}

test.runIf(NPM_CLIENTS !== '')(
  'Claude Code ends when two dollars are spent, shows the address, and goes on when the budget is raised',
  async () => {
    const env = await mintRunKey();
    upstream.script(upstreamName(CLAUDE), callsForever('Bash', { command: 'echo lighthouse' }));
    const models = Object.fromEntries(
      ['', 'DEFAULT_HAIKU_', 'DEFAULT_SONNET_', 'DEFAULT_OPUS_'].map((of) => [
        `ANTHROPIC_${of}MODEL`,
        CLAUDE,
      ]),
    );
    const bin = path.join(NPM_CLIENTS, 'node_modules/.bin');
    const traffic = { CLAUDE_CODE_DISABLE_NONESSENTIAL_TRAFFIC: '1' };
    const settings = { PATH: `${bin}:${process.env.PATH}`, HOME: NPM_CLIENTS, ...traffic };
    const line = lineWith('claude --print');
    const runClaude = (command: string) =>
      runShell(command, { ...env, ...models, ...settings }, folderOf('work'));
    const { output, failed } = await runClaude(`${line} --allowedTools Bash`);
    expect([output, failed]).toEqual([expect.stringMatching(REFUSED), true]);
    expect(output).toContain('API Error: 402');
    await expectSpent(env);
    await expectToGoOn(env, 'claude --continue', (command) =>
      runClaude(line.replace(/claude .*/, `${command} --print 'Go on'`)),
    );
  },
  TIMEOUT_MS,
);

test.runIf(NPM_CLIENTS !== '')(
  'Codex ends when two dollars are spent, shows the address, and goes on when the budget is raised',
  async () => {
    const env = await mintRunKey();
    upstream.script(upstreamName(CLAUDE), callsForever('exec_command', { cmd: 'echo lighthouse' }));
    const home = folderOf('codex-run-key');
    const config = readBlock('docs/clients.md', '[model_providers.svc]');
    writeFileSync(path.join(home, 'config.toml'), config.replace('http://localhost:3000', url));
    const bin = path.join(NPM_CLIENTS, 'node_modules/.bin');
    const settings = { PATH: `${bin}:${process.env.PATH}`, HOME: NPM_CLIENTS, CODEX_HOME: home };
    const line = lineWith('codex exec');
    const runCodex = (command: string) => runShell(command, { ...env, ...settings }, folderOf('work'));
    const { output, failed } = await runCodex(`${line} --skip-git-repo-check`);
    expect([output, failed]).toEqual([expect.stringMatching(REFUSED), true]);
    expect(output).toContain('unexpected status 402 Payment Required');
    await expectSpent(env);
    await expectToGoOn(env, 'codex exec resume --last', (command) =>
      runCodex(line.replace(/codex .*/, `${command} --skip-git-repo-check 'Go on'`)),
    );
  },
  TIMEOUT_MS,
);

function folderOf(name: string): string {
  const folder = path.join(NPM_CLIENTS, name);
  mkdirSync(folder, { recursive: true });
  return folder;
}
