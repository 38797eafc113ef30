import { execFile } from 'node:child_process';
import { mkdirSync, writeFileSync } from 'node:fs';
import path from 'node:path';
import { promisify } from 'node:util';
import { describe, expect, test } from 'vitest';
import { pool } from '@/server/db';
import { completionStream, messageStream } from '../harness/scripted-responses';
import { searchResponseStream, searchStream } from '../harness/search-responses';
import { CLAUDE, startClientWorld, upstreamName } from './world';

/** `npm run npm-clients` installs them and sets this to their folder. */
const { NPM_CLIENTS = '' } = process.env;
const TIMEOUT_MS = 120_000;
const run = promisify(execFile);
const QUERY = { query: 'shops today' };

const AGENTS = `
import { Agent, OpenAIProvider, Runner, tool } from '@openai/agents';
import { z } from 'zod';
const [, , baseURL, apiKey] = process.argv;
const parameters = z.object({ city: z.string() });
const execute = async ({ city }) => 'warm in ' + city;
const weather = tool({ name: 'weather', description: 'The weather of a city', parameters, execute });
const runner = new Runner({ modelProvider: new OpenAIProvider({ apiKey, baseURL }), tracingDisabled: true });
const agent = new Agent({ name: 'a', instructions: 'Be short.', model: 'sandbox/tool', tools: [weather] });
const whole = await runner.run(agent, 'Oslo');
const streamed = await runner.run(agent, 'Oslo', { stream: true });
await streamed.completed;
console.log(whole.finalOutput, '|', streamed.finalOutput);
`;

describe.runIf(NPM_CLIENTS !== '')('the clients from npm', async () => {
  const { url, person, upstream } = await startClientWorld();
  const env = {
    NODE_ENV: 'test' as const,
    PATH: process.env.PATH,
    HOME: NPM_CLIENTS,
    SVC_USER_KEY: person.userKey,
  };

  test(
    'the OpenAI Agents SDK runs a tool loop, whole and streamed',
    async () => {
      const file = path.join(NPM_CLIENTS, 'agents.mjs');
      writeFileSync(file, AGENTS);
      const { stdout } = await run(process.execPath, [file, `${url}/v1`, person.userKey], { env });
      expect(stdout.match(/warm in/g)).toHaveLength(2);
    },
    TIMEOUT_MS,
  );

  test(
    'Codex runs a command and reports the result',
    async () => {
      const home = path.join(NPM_CLIENTS, 'codex');
      const work = path.join(NPM_CLIENTS, 'work');
      for (const folder of [home, work]) mkdirSync(folder, { recursive: true });
      const config = `model = "${CLAUDE}"\nmodel_provider = "svc"\n\n[model_providers.svc]\nname = "svc"\nbase_url = "${url}/v1"\nenv_key = "SVC_USER_KEY"\n`;
      writeFileSync(path.join(home, 'config.toml'), config);
      const input = { cmd: 'echo lighthouse' };
      upstream.script(
        upstreamName(CLAUDE),
        messageStream([{ type: 'tool_use', id: 'toolu_1', name: 'exec_command', input }], 'tool_use'),
        messageStream([{ type: 'text', text: 'I saw a lighthouse.' }]),
      );
      const codex = path.join(NPM_CLIENTS, 'node_modules/.bin/codex');
      const running = run(codex, ['exec', '--skip-git-repo-check', 'Look around'], {
        cwd: work,
        env: { ...env, CODEX_HOME: home },
      });
      running.child.stdin?.end();
      const { stdout } = await running;
      expect(stdout).toContain('I saw a lighthouse.');
      expect(JSON.stringify(upstream.lastBody(upstreamName(CLAUDE)))).toMatch(/toolu_1.*lighthouse/);
    },
    TIMEOUT_MS,
  );

  /** The main conversation calls the tool, which sends a request of its own. */
  test.each([
    [
      'anthropic/claude-sonnet-4-5',
      [
        messageStream([{ type: 'tool_use', id: 'toolu_1', name: 'WebSearch', input: QUERY }], 'tool_use'),
        searchStream(),
        messageStream([{ type: 'text', text: 'It opens on Friday.' }]),
      ],
    ],
    [
      'openai/gpt-5-mini',
      [
        completionStream(
          [
            {
              tool_calls: [
                {
                  index: 0,
                  id: 'call_1',
                  type: 'function',
                  function: { name: 'WebSearch', arguments: JSON.stringify(QUERY) },
                },
              ],
            },
          ],
          'tool_calls',
        ),
        searchResponseStream(),
        completionStream([{ content: 'It opens on Friday.' }]),
      ],
    ],
  ])(
    'Claude Code searches the web with %s',
    async (model, replies) => {
      const work = path.join(NPM_CLIENTS, 'work');
      mkdirSync(work, { recursive: true });
      upstream.script(upstreamName(model), ...replies);
      const claude = path.join(NPM_CLIENTS, 'node_modules/.bin/claude');
      const running = run(
        claude,
        ['--print', '--allowedTools', 'WebSearch', '--model', model, 'When does the shop open?'],
        {
          cwd: work,
          env: {
            ...env,
            ANTHROPIC_BASE_URL: url,
            ANTHROPIC_AUTH_TOKEN: person.userKey,
            ANTHROPIC_MODEL: model,
            ANTHROPIC_DEFAULT_HAIKU_MODEL: model,
            ANTHROPIC_DEFAULT_SONNET_MODEL: model,
            ANTHROPIC_DEFAULT_OPUS_MODEL: model,
            CLAUDE_CODE_DISABLE_NONESSENTIAL_TRAFFIC: '1',
          },
        },
      );
      running.child.stdin?.end();
      const { stdout } = await running;
      expect(stdout).toContain('It opens on Friday.');
      expect(JSON.stringify(upstream.lastBody(upstreamName(model)))).toContain('https://example.com/ginza');
      const { rows } = await pool().query('SELECT sum(web_searches) AS count FROM usage WHERE model = $1', [
        model,
      ]);
      expect(rows).toEqual([{ count: 1n }]);
    },
    TIMEOUT_MS,
  );
});
