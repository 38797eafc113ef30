// @ts-check

/**
 * What a coding agent sends: forty tools, and a conversation of calls and results that grows with each turn. The
 * bodies of a session differ from those of every other one, from the first message on.
 *
 * @typedef {'chat' | 'messages' | 'responses'} Format
 * @typedef {object} Session
 * @property {Format} format
 * @property {string} model
 * @property {number} kilobytes of the last turn
 * @property {boolean} stream
 */

/** Turns of one session; each adds a call with its result. */
const TURNS = 8;
const TOOLS = 40;
const RESULT_BYTES = 6_000;
/** In the place of these digits, the load generator writes the number of the session. */
export const SESSION_NUMBER = '0000000000';

/** The bodies of all turns. @param {Session} session @returns {string[]} */
export function writeSession({ format, model, kilobytes, stream }) {
  const write = WRITERS[format];
  const resultBytes = Math.min(RESULT_BYTES, kilobytes * 40);
  const toolBytes = JSON.stringify(write([], { model, stream })).length;
  const turns = Math.max(TURNS, Math.round((kilobytes * 1_000 - toolBytes) / (resultBytes + 650)));
  const results = Array.from({ length: turns }, (_, turn) => writeResult(turn, resultBytes));
  return Array.from({ length: TURNS }, (_, left) =>
    JSON.stringify(write(results.slice(0, turns - TURNS + left + 1), { model, stream })),
  );
}

const INSTRUCTIONS =
  'You are a coding agent. Read files before you change them, run the tests after each change, and explain briefly what you did. '.repeat(
    30,
  );
const TASK = `Session ${SESSION_NUMBER}: find out why the totals of the report differ from the ledger, and fix it.`;

/** @typedef {{ model: string, stream: boolean }} Options */

/** @type {Record<Format, (results: string[], options: Options) => object>} */
const WRITERS = {
  chat: (results, { model, stream }) => ({
    model,
    messages: [
      { role: 'system', content: INSTRUCTIONS },
      { role: 'user', content: TASK },
      ...results.flatMap((content, turn) => [
        {
          role: 'assistant',
          content: sayBefore(turn),
          tool_calls: [
            {
              id: callId(turn),
              type: 'function',
              function: { name: toolName(turn), arguments: writeArguments(turn) },
            },
          ],
        },
        { role: 'tool', tool_call_id: callId(turn), content },
      ]),
    ],
    tools: eachTool((name, description, parameters) => ({
      type: 'function',
      function: { name, description, parameters },
    })),
    max_completion_tokens: 8_000,
    ...(stream && { stream }),
  }),
  messages: (results, { model, stream }) => ({
    model,
    max_tokens: 8_000,
    system: [{ type: 'text', text: INSTRUCTIONS, cache_control: { type: 'ephemeral' } }],
    messages: [
      { role: 'user', content: TASK },
      ...results.flatMap((content, turn) => [
        {
          role: 'assistant',
          content: [
            { type: 'text', text: sayBefore(turn) },
            {
              type: 'tool_use',
              id: callId(turn),
              name: toolName(turn),
              input: JSON.parse(writeArguments(turn)),
            },
          ],
        },
        {
          role: 'user',
          content: [
            {
              type: 'tool_result',
              tool_use_id: callId(turn),
              content,
              ...(turn === results.length - 1 && { cache_control: { type: 'ephemeral' } }),
            },
          ],
        },
      ]),
    ],
    tools: eachTool((name, description, input_schema) => ({ name, description, input_schema })),
    ...(stream && { stream }),
  }),
  responses: (results, { model, stream }) => ({
    model,
    instructions: INSTRUCTIONS,
    input: [
      { role: 'user', content: TASK },
      ...results.flatMap((output, turn) => [
        {
          type: 'message',
          role: 'assistant',
          content: [{ type: 'output_text', text: sayBefore(turn), annotations: [] }],
        },
        {
          type: 'function_call',
          call_id: callId(turn),
          name: toolName(turn),
          arguments: writeArguments(turn),
        },
        { type: 'function_call_output', call_id: callId(turn), output },
      ]),
    ],
    tools: eachTool((name, description, parameters) => ({
      type: 'function',
      name,
      description,
      parameters,
      strict: false,
    })),
    max_output_tokens: 8_000,
    store: false,
    ...(stream && { stream }),
  }),
};

/** @param {number} turn */
const callId = (turn) => `call_${String(turn).padStart(24, '0')}`;
/** @param {number} turn */
const toolName = (turn) => `workspace_${NAMES[turn % NAMES.length]}_${turn % TOOLS}`;
/** @param {number} turn */
const sayBefore = (turn) =>
  `The totals are computed in two places, so I read module ${turn} next to see which of them rounds first.`;
/** @param {number} turn */
const writeArguments = (turn) =>
  JSON.stringify({
    path: `server/reports/module-${turn}/totals.ts`,
    range: { from: turn, to: turn + 160 },
    reason: 'see how it rounds',
  });

const NAMES = ['read', 'write', 'search', 'run', 'list'];

/** @template Tool @param {(name: string, description: string, parameters: object) => Tool} write @returns {Tool[]} */
function eachTool(write) {
  return Array.from({ length: TOOLS }, (_, index) => {
    const properties = Object.fromEntries(
      ['path', 'pattern', 'range', 'limit', 'reason'].map((name) => [
        name,
        {
          type: name === 'limit' ? 'integer' : 'string',
          description: `The ${name} that the tool uses in this workspace, relative to its root.`,
        },
      ]),
    );
    return write(
      toolName(index),
      `Does one thing to the files of the workspace, and returns what changed (tool ${index}). Use it only after the file was read.`,
      { type: 'object', properties, required: ['path'], additionalProperties: false },
    );
  });
}

/** A file of code with a character outside ASCII in every fourth one. @param {number} turn @param {number} bytes */
function writeResult(turn, bytes) {
  const lines = [`// module ${turn}${turn % 4 === 0 ? ' – totals in €' : ''}`];
  let random = turn + 1;
  for (let length = 0; length < bytes; ) {
    random = (Math.imul(random, 1_103_515_245) + 12_345) >>> 0;
    const [first, second] = [WORDS[random % WORDS.length], WORDS[(random >>> 8) % WORDS.length]];
    const line = `  const ${first}${second} = await read${second}(${first}, { limit: ${random % 1_000}, path: "a/${second}" });`;
    lines.push(line);
    length += line.length + 4;
  }
  return lines.join('\n');
}

const WORDS = ['total', 'ledger', 'Report', 'entry', 'Page', 'cursor', 'Wallet', 'batch', 'amount', 'Query'];
