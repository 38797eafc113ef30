import { execFile } from 'node:child_process';
import { mkdirSync, writeFileSync } from 'node:fs';
import path from 'node:path';
import { promisify } from 'node:util';
import { describe, expect, test } from 'vitest';
import { pool } from '@/server/base/db';
import { readBlock } from '../../harness/blocks';
import { completionStream, messageStream, responseStream } from '../../harness/scripted-responses';
import type { Reply } from '../../harness/scripted-upstream';
import { searchResponseStream, searchStream } from '../../harness/search-responses';
import { CLAUDE, GPT, startClientWorld, upstreamName } from './world';

/** `npm --prefix lab run npm-clients` installs them and sets this to their folder. */
const { NPM_CLIENTS = '' } = process.env;
const TIMEOUT_MS = 120_000;
const run = promisify(execFile);
const QUERY = { query: 'shops today' };

const AGENTS = `
import { Agent, OpenAIProvider, Runner, tool } from '@openai/agents';
import { z } from 'zod';
const [, , baseURL, apiKey, model] = process.argv;
const parameters = z.object({ city: z.string() });
const execute = async ({ city }) => 'warm in ' + city;
const weather = tool({ name: 'weather', description: 'The weather of a city', parameters, execute });
const runner = new Runner({ modelProvider: new OpenAIProvider({ apiKey, baseURL }), tracingDisabled: true });
const agent = new Agent({ name: 'a', instructions: 'Be short.', model, tools: [weather] });
const whole = await runner.run(agent, 'Oslo');
const streamed = await runner.run(agent, 'Oslo', { stream: true });
await streamed.completed;
console.log(whole.finalOutput, '|', streamed.finalOutput);
`;

const AI_SDK = `
import { createAnthropic } from '@ai-sdk/anthropic';
import { createOpenAI } from '@ai-sdk/openai';
import { generateText, Output, stepCountIs, streamText, tool } from 'ai';
import { z } from 'zod';
const [, , baseURL, apiKey, way, provider] = process.argv;
const openai = createOpenAI({ baseURL, apiKey });
const open = { chat: openai.chat, responses: openai, messages: createAnthropic({ baseURL, apiKey }) }[way];
const settings = { maxRetries: 0, maxOutputTokens: 500, prompt: 'Oslo' };
const inputSchema = z.object({ city: z.string() });
const execute = async ({ city }) => 'warm in ' + city;
const tools = { weather: tool({ description: 'The weather of a city', inputSchema, execute }) };
const output = Output.object({ schema: inputSchema });
const model = open(provider + '/echo');
const whole = await generateText({ ...settings, model });
const streamed = streamText({ ...settings, model });
const called = await generateText({ ...settings, model: open(provider + '/tool'), tools, stopWhen: stepCountIs(3) });
const parsed = await generateText({ ...settings, model: open(provider + (way === 'messages' ? '/tool' : '/echo')), output });
console.log(JSON.stringify([whole.text, await streamed.text, called.text, parsed.output]));
`;

describe.runIf(NPM_CLIENTS !== '')('the clients from npm', async () => {
  const { url, person, upstream } = await startClientWorld();
  const env = {
    NODE_ENV: 'test' as const,
    PATH: process.env.PATH,
    HOME: NPM_CLIENTS,
    SVC_USER_KEY: person.userKey,
  };

  test.each(['sandbox/tool', 'sandbox-anthropic/tool'])(
    'the OpenAI Agents SDK runs a tool loop with %s, whole and streamed',
    async (model) => {
      const file = path.join(NPM_CLIENTS, 'agents.mjs');
      writeFileSync(file, AGENTS);
      const { stdout } = await run(process.execPath, [file, `${url}/v1`, person.userKey, model], { env });
      expect(stdout.match(/warm in/g)).toHaveLength(2);
    },
    TIMEOUT_MS,
  );

  test.each(
    ['chat', 'responses', 'messages'].flatMap((way) => [
      [way, 'sandbox'],
      [way, 'sandbox-anthropic'],
    ]),
  )(
    'the AI SDK 7 does everything by %s with %s',
    async (way, provider) => {
      const file = path.join(NPM_CLIENTS, 'ai-sdk.mjs');
      writeFileSync(file, AI_SDK);
      const node = path.join(NPM_CLIENTS, 'node_modules/.bin/node');
      const { stdout } = await run(node, [file, `${url}/v1`, person.userKey, way, provider], { env });
      const [whole, streamed, called, parsed] = JSON.parse(stdout);
      expect([whole, streamed, parsed]).toEqual(['Oslo', 'Oslo', { city: 'Oslo' }]);
      expect(called).toContain('warm in');
    },
    TIMEOUT_MS,
  );

  test.each([GPT, CLAUDE])(
    'Codex runs a command with %s and reports the result',
    async (model) => {
      const home = path.join(NPM_CLIENTS, 'codex');
      const work = path.join(NPM_CLIENTS, 'work');
      for (const folder of [home, work]) mkdirSync(folder, { recursive: true });
      // Without a sandbox, Codex offers live search, which this model of OpenAI has not.
      const config = `model = "${model}"\nweb_search = "disabled"\nmodel_provider = "svc"\n\n[model_providers.svc]\nname = "svc"\nbase_url = "${url}/v1"\nenv_key = "SVC_USER_KEY"\n`;
      writeFileSync(path.join(home, 'config.toml'), config);
      const input = { cmd: 'echo lighthouse' };
      const name = 'exec_command';
      const called = { type: 'function_call', call_id: 'call_1', name, arguments: JSON.stringify(input) };
      const content = [{ type: 'output_text', text: 'I saw a lighthouse.', annotations: [] }];
      const replies =
        model === GPT
          ? [responseStream([called]), responseStream([{ type: 'message', role: 'assistant', content }])]
          : [
              messageStream([{ type: 'tool_use', id: 'call_1', name, input }], 'tool_use'),
              messageStream([{ type: 'text', text: 'I saw a lighthouse.' }]),
            ];
      upstream.script(upstreamName(model), ...replies);
      const codex = path.join(NPM_CLIENTS, 'node_modules/.bin/codex');
      const running = run(
        codex,
        ['exec', '--skip-git-repo-check', '--sandbox', 'danger-full-access', 'Look around'],
        {
          cwd: work,
          env: { ...env, CODEX_HOME: home },
        },
      );
      running.child.stdin?.end();
      const { stdout } = await running;
      expectLoop(model, stdout);
    },
    TIMEOUT_MS,
  );

  /** A call of the tool that runs commands, and what the model says then. */
  const callsCommand = (model: string, name: string): Reply[] => {
    const input = { command: 'echo lighthouse', description: 'Look around', is_background: false };
    const called = { name, arguments: JSON.stringify(input) };
    const call = { index: 0, id: 'call_1', type: 'function', function: called };
    return model === GPT
      ? [
          completionStream([{ tool_calls: [call] }], 'tool_calls'),
          completionStream([{ content: 'I saw a lighthouse.' }]),
        ]
      : [
          messageStream([{ type: 'tool_use', id: 'call_1', name, input }], 'tool_use'),
          messageStream([{ type: 'text', text: 'I saw a lighthouse.' }]),
        ];
  };
  const workIn = (name: string, files: Record<string, string> = {}): string => {
    const folder = path.join(NPM_CLIENTS, name);
    mkdirSync(folder, { recursive: true });
    for (const [file, text] of Object.entries(files)) writeFileSync(path.join(folder, file), text);
    return folder;
  };
  const expectLoop = (model: string, stdout: string): void => {
    expect(stdout).toContain('I saw a lighthouse.');
    const sent = JSON.stringify(upstream.lastBody(upstreamName(model)));
    // In the call and in its result.
    expect(sent.match(/lighthouse/g)?.length).toBeGreaterThan(1);
  };

  test.each([GPT, CLAUDE])(
    'Qwen Code runs a command with %s and reports the result',
    async (model) => {
      const folder = workIn('qwen');
      const settings = { privacy: { usageStatisticsEnabled: false } };
      workIn('qwen/.qwen', { 'settings.json': JSON.stringify(settings) });
      upstream.script(upstreamName(model), ...callsCommand(model, 'run_shell_command'));
      const running = run(
        path.join(NPM_CLIENTS, 'node_modules/.bin/qwen'),
        ['--auth-type', 'openai', '--yolo', '--prompt', 'Look around'],
        {
          cwd: folder,
          env: {
            ...env,
            OPENAI_API_KEY: person.userKey,
            OPENAI_BASE_URL: `${url}/v1`,
            OPENAI_MODEL: model,
          },
        },
      );
      running.child.stdin?.end();
      expectLoop(model, (await running).stdout);
    },
    TIMEOUT_MS,
  );

  test.each([GPT, CLAUDE])(
    'opencode runs a command with %s and reports the result',
    async (model) => {
      const svc = {
        npm: '@ai-sdk/openai-compatible',
        options: { baseURL: `${url}/v1`, apiKey: person.userKey },
        models: { [model]: { tool_call: true } },
      };
      const config = JSON.stringify({ provider: { svc }, small_model: 'svc/none', permission: 'allow' });
      upstream.script(upstreamName(model), ...callsCommand(model, 'bash'));
      const running = run(
        path.join(NPM_CLIENTS, 'node_modules/.bin/opencode'),
        ['run', '--title', 'A walk', '--model', `svc/${model}`, 'Look around'],
        {
          cwd: workIn('opencode', { 'opencode.json': config }),
          env: { ...env, OPENCODE_DISABLE_MODELS_FETCH: '1', OPENCODE_DISABLE_AUTOUPDATE: '1' },
        },
      );
      running.child.stdin?.end();
      expectLoop(model, (await running).stdout);
    },
    TIMEOUT_MS,
  );

  const runShell = async (script: string): Promise<string> => {
    const bin = path.join(NPM_CLIENTS, 'node_modules/.bin');
    const running = run('sh', ['-c', script], {
      cwd: workIn('work'),
      env: { ...env, PATH: `${bin}:${env.PATH}`, CLAUDE_CODE_DISABLE_NONESSENTIAL_TRAFFIC: '1' },
    });
    running.child.stdin?.end();
    return (await running).stdout;
  };

  test(
    'the settings of the clients guide start Claude Code',
    async () => {
      upstream.script('claude-sonnet-5', messageStream([{ type: 'text', text: 'I saw a lighthouse.' }]));
      const settings = readBlock('docs/clients.md', 'export ANTHROPIC_BASE_URL');
      const script = settings
        .replace('http://localhost:3000', url)
        .replace(/^claude$/m, 'claude --print Look');
      expect(await runShell(script)).toContain('I saw a lighthouse.');
    },
    TIMEOUT_MS,
  );

  test(
    'the command of the agents guide adds an MCP server to Claude Code, which connects to it',
    async () => {
      const command = readBlock('docs/agents.md', 'claude mcp add').replace('https://YOUR-SERVICE', url);
      await runShell(`claude mcp remove svc 2>/dev/null; ${command}`);
      expect(await runShell('claude mcp list')).toMatch(/^svc: .*\/mcp \(HTTP\) - . Connected$/m);
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
