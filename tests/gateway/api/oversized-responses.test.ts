import { beforeEach, expect, test } from 'vitest';
import { prisma } from '@/server/base/db';
import { checkLedger } from '@/server/ledger';
import { startApi } from '../../harness/api-server';
import { newDatabase } from '../../harness/database';
import { newPerson, type Person } from '../../harness/people';
import { readReceipts } from '../../harness/receipts';
import { startScriptedUpstream } from '../../harness/scripted-upstream';

await newDatabase();
const upstream = await startScriptedUpstream();
process.env.OPENAI_API_KEY = 'key-of-the-test';
process.env.OPENAI_BASE_URL = upstream.url;
const api = await startApi();

const MODEL = 'gpt-4.1-mini';
const MEGABYTE = 1024 * 1024;
const usage = { prompt_tokens: 1, completion_tokens: 1 };
const choice = { index: 0, message: { role: 'assistant', content: 'Hi' }, finish_reason: 'stop' };

let person: Person;
beforeEach(async () => {
  person = await newPerson({ credits: 10 });
});

async function send(
  stream = false,
  format = 'chat/completions',
  history: object[] = [],
  model = `openai/${MODEL}`,
): Promise<{ status: number; text: string }> {
  const response = await fetch(`${api.url}/v1/${format}`, {
    method: 'POST',
    headers: { authorization: `Bearer ${person.userKey}`, 'content-type': 'application/json' },
    body: JSON.stringify({
      model,
      stream,
      max_tokens: 1_000,
      messages: [{ role: 'user', content: 'Hi' }, ...history],
    }),
  });
  return { status: response.status, text: await response.text() };
}

const LEVELS = 5_000;
const DEEP = '['.repeat(LEVELS) + ']'.repeat(LEVELS);

const nothingIsHeld = async () => {
  expect(await prisma().hold.count()).toBe(0);
  expect(await checkLedger()).toMatchObject({ differences: [] });
};

test.each([
  ['65 MB', () => JSON.stringify({ choices: [choice], usage, padding: 'x'.repeat(65 * MEGABYTE) })],
  ['3 million objects', () => `{"choices":[${'{},'.repeat(3_000_000)}{}]}`],
  ['5,000 levels', () => JSON.stringify({ choices: [choice], usage }).replace(/}$/, `,"x":${DEEP}}`)],
])('a whole response of %s has failed, and is not requested again', async (_, write) => {
  upstream.script(MODEL, { body: write() });
  const { status, text } = await send();
  expect(status).toBe(502);
  expect(text).toContain('The response of the provider for this model is too large');
  expect(upstream.seen(MODEL)).toHaveLength(1);
  await nothingIsHeld();
});

test('an error of 5 MB is reported without its text', async () => {
  upstream.script(MODEL, { status: 400, body: { error: { message: 'echo '.repeat(MEGABYTE) } } });
  const { status, text } = await send();
  expect([status, text.length < 1_000]).toEqual([502, true]);
  await nothingIsHeld();
});

test.each([
  ['choices', (n: number) => [{ index: n, delta: { content: 'x' }, finish_reason: null }]],
  [
    'tool calls',
    (n: number) => [
      {
        index: 0,
        delta: { tool_calls: [{ index: n, id: `c${n}`, function: { name: 'f', arguments: '{}' } }] },
        finish_reason: null,
      },
    ],
  ],
])('a stream of 5,000 %s ends in an error', async (_, choicesOf) => {
  const events = Array.from({ length: 5_000 }, (_, n) => ({
    id: 'x',
    object: 'chat.completion.chunk',
    created: 1,
    model: 'x',
    choices: choicesOf(n),
  }));
  upstream.script(MODEL, { events });
  const { text } = await send(true);
  expect(text).toContain('upstream_error');
  expect(text).not.toContain('[DONE]');
  await nothingIsHeld();
});

test.each([
  ['an object', `{"x":${DEEP}}`],
  ['a list', DEEP],
])(
  'arguments that are %s of 5,000 levels reach a client that parses them as text, and are charged',
  async (_, json) => {
    const calls = [{ index: 0, id: 'c', type: 'function', function: { name: 'f', arguments: json } }];
    const message = { role: 'assistant', content: null, tool_calls: calls };
    const end = { finish_reason: 'tool_calls' };
    const replies = [
      { body: { id: 'x', choices: [{ index: 0, message, ...end }], usage } },
      {
        events: [{ choices: [{ index: 0, delta: message, ...end }] }, { choices: [], usage }, 'data: [DONE]'],
      },
    ];
    for (const reply of replies) {
      upstream.script(MODEL, reply);
      const { status, text } = await send('events' in reply, 'messages');
      expect([status, text.includes('tool_use'), text.includes('error')]).toEqual([200, true, false]);
      await nothingIsHeld();
    }
    expect(await readReceipts(person.userId)).toHaveLength(replies.length);
  },
);

const nest = (levels: number) => `{"x":${'['.repeat(levels - 1)}${']'.repeat(levels - 1)}}`;
const MODELS = [`openai/${MODEL}`, 'sandbox-anthropic/echo'];

test.each([129, 1_000, 5_000])(
  'arguments of %i levels that were delivered are accepted back',
  async (levels) => {
    const calls = [{ index: 0, id: 'c', type: 'function', function: { name: 'f', arguments: nest(levels) } }];
    const message = { role: 'assistant', content: null, tool_calls: calls };
    const hi = { body: { id: 'x', choices: [choice], usage } };
    const answer = {
      body: { id: 'x', choices: [{ index: 0, message, finish_reason: 'tool_calls' }], usage },
    };
    upstream.script(MODEL, answer, answer, hi, hi);
    const chat = JSON.parse((await send()).text).choices[0].message;
    const messages = JSON.parse((await send(false, 'messages')).text).content;
    for (const model of MODELS) {
      const asked = [chat, { role: 'tool', tool_call_id: 'c', content: 'done' }];
      expect((await send(false, 'chat/completions', asked, model)).status).toBe(200);
      const [{ id }] = messages;
      const result = [{ type: 'tool_result', tool_use_id: id, content: 'done' }];
      const told = [
        { role: 'assistant', content: messages },
        { role: 'user', content: result },
      ];
      expect((await send(false, 'messages', told, model)).status).toBe(200);
    }
  },
);
