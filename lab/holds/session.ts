import { readdirSync, readFileSync } from 'node:fs';
import path from 'node:path';
import { randomFrom } from '../../tests/harness/random';

/**
 * Sessions of a coding agent that works on this repository: what its tools return is code, JSON, logs, diffs and lists of
 * files. The seed determines them.
 */

export type Turn = { say: string; tool: string; input: Record<string, unknown>; result: string };
export type Session = { task: string; turns: readonly Turn[] };
export type Tool = { name: string; description: string; schema: object };

export const INSTRUCTIONS = readFileSync('AGENTS.md', 'utf8');

const TYPES = { path: 'string', pattern: 'string', command: 'string', limit: 'integer', content: 'string' };
const ACTIONS = ['read', 'write', 'search', 'run', 'list', 'edit'];

export const TOOLS: readonly Tool[] = Array.from({ length: 18 }, (_, index) => {
  const action = ACTIONS[index % ACTIONS.length] ?? '';
  const properties = Object.fromEntries(
    Object.entries(TYPES).map(([name, type]) => [
      name,
      { type, description: `The ${name} that the tool uses, relative to the root of the workspace.` },
    ]),
  );
  return {
    name: `workspace_${action}_${index}`,
    description: `Tool ${index}: ${action}s the files of the workspace and returns what changed. Use it only after reading the file.`,
    schema: { type: 'object', properties, required: ['path'], additionalProperties: false },
  };
});

export function writeSession(seed: number, steps: number): Session {
  const random = randomFrom(seed);
  const task = `Task ${seed}: the totals of two reports differ. Find out why, fix it and add a test.`;
  return { task, turns: Array.from({ length: steps }, (_, step) => writeTurn(step, random)) };
}

function writeTurn(step: number, random: () => number): Turn {
  const file = pick(FILES, random);
  const result = pick(RESULTS, random)(file, random);
  const writes = random() < 0.15;
  return {
    say: `The totals are computed in two places, so I read \`${file}\` next to see which of them rounds first.`,
    tool: pick(TOOLS, random).name,
    input: { path: file, limit: step, ...(writes && { content: part(file, random, 5_000) }) },
    result,
  };
}

const isText = (name: string): boolean => /\.(ts|tsx|mjs|md|sql|prisma)$/.test(name);
const listFiles = (folder: string): string[] =>
  readdirSync(folder, { recursive: true, encoding: 'utf8' }).map((name) => path.join(folder, name));
const FILES = ['server', 'app', 'prisma', 'docs', 'tests/ledger'].flatMap(listFiles).filter(isText).sort();
const CATALOG = readFileSync('server/gateway/pricing/catalog.json', 'utf8');

type WriteResult = (file: string, random: () => number) => string;
const RESULTS_OF: Readonly<Record<string, WriteResult>> = {
  'files of code and prose': (file, random) => part(file, random, 12_000),
  'files with line numbers': (file, random) => numberLines(part(file, random, 9_000)),
  'indented JSON of a tool': (_, random) => slice(CATALOG, random, 8_000),
  'JSON records with ids': (_, random) =>
    JSON.stringify(Array.from({ length: 40 }, () => writeRecord(random))),
  'lines of logs': (_, random) => Array.from({ length: 60 }, () => writeLogLine(random)).join('\n'),
  diffs: (file, random) => writeDiff(file, part(file, random, 6_000)),
  'lists of files': (_, random) => slice(FILES.join('\n'), random, 4_000),
};
const RESULTS = Object.values(RESULTS_OF);

function part(file: string, random: () => number, most: number): string {
  return slice(readFileSync(file, 'utf8'), random, most);
}

function slice(text: string, random: () => number, most: number): string {
  const start = Math.floor(random() * Math.max(1, text.length - most));
  return text.slice(start, start + Math.ceil(most * (0.2 + 0.8 * random())));
}

const numberLines = (text: string): string =>
  text
    .split('\n')
    .map((line, index) => `${String(index + 1).padStart(6)}\t${line}`)
    .join('\n');

const hex = (random: () => number, digits: number): string =>
  Array.from({ length: digits }, () => Math.floor(random() * 16).toString(16)).join('');

const writeRecord = (random: () => number) => ({
  id: `req_${hex(random, 24)}`,
  model: pick(['openai/gpt-5', 'anthropic/claude-sonnet-4-5'], random),
  created_at: writeTime(random),
  usage: { input_tokens: Math.floor(random() * 90_000), output_tokens: Math.floor(random() * 900) },
  cost: Number(random().toFixed(6)),
  is_estimated: random() < 0.1,
  error: null,
});

const writeTime = (random: () => number): string =>
  new Date(1_790_000_000_000 + Math.floor(random() * 1e9)).toISOString();

const writeLogLine = (random: () => number): string =>
  pick(
    [
      `${writeTime(random)} INFO  [gateway] POST /v1/chat/completions 200 ${Math.floor(random() * 900)}ms id=${hex(random, 16)}`,
      `{"level":30,"time":${1_790_000_000_000 + Math.floor(random() * 1e9)},"pid":${Math.floor(random() * 9e4)},"msg":"request settled","charge":"${random().toFixed(6)}"}`,
      `    at async settleRun (file:///work/server/gateway/run/settle-run.ts:${Math.floor(random() * 200)}:${Math.floor(random() * 60)})`,
      ` ✓ tests/ledger/settlement.test.ts (${Math.floor(random() * 40)} tests) ${Math.floor(random() * 2_000)}ms`,
    ],
    random,
  );

const writeDiff = (file: string, text: string): string =>
  `diff --git a/${file} b/${file}\n@@ -1,9 +1,9 @@\n${text
    .split('\n')
    .map((line, index) => `${index % 7 === 3 ? '-' : index % 7 === 4 ? '+' : ' '}${line}`)
    .join('\n')}`;

function pick<T>(choices: readonly T[], random: () => number): T {
  const chosen = choices[Math.floor(random() * choices.length)];
  if (chosen === undefined) throw new Error('There is nothing to choose from');
  return chosen;
}

export type Agent = { model: string; format: 'chat' | 'messages'; maxTokens: number | null };

/** The request of a step, of which the first is 0: the task, and what was done since. */
export function requestOf(agent: Agent, { task, turns }: Session, step: number): object {
  const done = turns.slice(0, step);
  return agent.format === 'messages' ? writeMessages(agent, task, done) : writeChat(agent, task, done);
}

function writeChat({ model, maxTokens }: Agent, task: string, turns: readonly Turn[]): object {
  return {
    model,
    ...(maxTokens !== null && { max_completion_tokens: maxTokens }),
    messages: [
      { role: 'system', content: INSTRUCTIONS },
      { role: 'user', content: task },
      ...turns.flatMap(({ say, tool, input, result }, turn) => [
        {
          role: 'assistant',
          content: say,
          tool_calls: [
            {
              id: `call_${turn}`,
              type: 'function',
              function: { name: tool, arguments: JSON.stringify(input) },
            },
          ],
        },
        { role: 'tool', tool_call_id: `call_${turn}`, content: result },
      ]),
    ],
    tools: TOOLS.map(({ schema, ...tool }) => ({
      type: 'function',
      function: { ...tool, parameters: schema },
    })),
  };
}

/** Marks the last two results for the cache, as agents do. */
function writeMessages({ model, maxTokens }: Agent, task: string, turns: readonly Turn[]): object {
  const mark = { cache_control: { type: 'ephemeral' } };
  return {
    model,
    max_tokens: maxTokens ?? 8_000,
    system: [{ type: 'text', text: INSTRUCTIONS, ...mark }],
    messages: [
      { role: 'user', content: [{ type: 'text', text: task, ...(turns.length < 2 && mark) }] },
      ...turns.flatMap(({ say, tool, input, result }, turn) => [
        {
          role: 'assistant',
          content: [
            { type: 'text', text: say },
            { type: 'tool_use', id: `call_${turn}`, name: tool, input },
          ],
        },
        {
          role: 'user',
          content: [
            {
              type: 'tool_result',
              tool_use_id: `call_${turn}`,
              content: result,
              ...(turn >= turns.length - 2 && mark),
            },
          ],
        },
      ]),
    ],
    tools: TOOLS.map(({ schema, ...tool }) => ({ ...tool, input_schema: schema })),
  };
}

/** What tools return, the schemas of the tools, and the whole of a session. */
export const RESULTS_BY_KIND: Readonly<Record<string, string>> = {
  ...Object.fromEntries(
    Object.entries(RESULTS_OF).map(([kind, write]) => {
      const random = randomFrom(7);
      return [kind, Array.from({ length: 12 }, () => write(pick(FILES, random), random)).join('\n')];
    }),
  ),
  'schemas of tools': JSON.stringify(TOOLS),
  'a session of an agent': writeSession(7, 50)
    .turns.map(({ say, tool, input, result }) => `${say}\n${tool}${JSON.stringify(input)}\n${result}`)
    .join('\n'),
};
