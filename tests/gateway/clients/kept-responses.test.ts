import { createOpenAI } from '@ai-sdk/openai';
import { generateText, stepCountIs, tool } from 'ai';
import OpenAI from 'openai';
import { afterEach, expect, test } from 'vitest';
import { z } from 'zod';
import { HOUR_MS, MINUTE_MS, now, setClock } from '@/server/base/clock';
import { pool } from '@/server/base/db';
import { bodyBytes, setByteLimits } from '@/server/base/http/body-bytes';
import type { Json } from '@/server/gateway/protocols/neutral';
import { linkInput } from '@/server/gateway/run/kept-input';
import { keptResponses } from '@/server/gateway/run/kept-responses';
import {
  type Entry,
  forgetKeptResponses,
  keepResponse,
  MAX_BYTES_PER_APP,
} from '@/server/gateway/run/kept-store';
import { newPerson, type Person } from '../../harness/people';
import { response } from '../../harness/scripted-responses';
import { GPT, startClientWorld, upstreamName } from './world';

/** What is kept of the responses format, as the SDKs of OpenAI and Vercel use it. */

const { url, upstream } = await startClientWorld();
const name = upstreamName(GPT);
afterEach(() => {
  setClock();
  setByteLimits();
});

const openai = ({ userKey }: Person) => new OpenAI({ apiKey: userKey, baseURL: `${url}/v1`, maxRetries: 0 });
const person = await newPerson({ credits: 10_000 });
const client = openai(person);

const says = (words: string, id?: string) =>
  response(
    [
      {
        type: 'message',
        role: 'assistant',
        content: [{ type: 'output_text', text: words, annotations: [] }],
      },
    ],
    id === undefined ? {} : { id },
  );
const call = (step: number) =>
  response([{ type: 'function_call', call_id: `call_${step}`, name: 'look', arguments: `{"step":${step}}` }]);
const lastInput = () => upstream.lastBody(name).input as Json[];
/** Values of the rows of a user, or of those with one id. */
const rows = async (columns: string, { userId } = person, id: string | null = null) =>
  (
    await pool().query(
      `SELECT ${columns} FROM kept_response WHERE user_id = $1 AND ($2::text IS NULL OR id = $2)`,
      [userId, id],
    )
  ).rows;

/** What the route does around a provider's response, without a provider. */
function newAgent(owner: Person, context: Json[]) {
  const request = new Request(url, { headers: { authorization: `Bearer ${owner.userKey}` } });
  const asking = { request, keyHash: Buffer.from('key'), admitCheaply: async () => {} };
  const input = [...context];
  const full = [...context];
  /** The numbers of the rows, by step. */
  const numbers: number[] = [];
  let produced = 0;

  async function resolve(body: Json): Promise<Json[]> {
    const { client: resolved } = await keptResponses.resolve(asking, {
      format: 'responses',
      body: { model: GPT, ...body },
    });
    return (resolved.body as Json).input as Json[];
  }

  /** Keeps the response to the input so far. Resolving a thousand references each time would take minutes. */
  async function step(): Promise<void> {
    const at = numbers.length;
    const thought = { type: 'reasoning', id: `rs_${at}`, summary: [], encrypted_content: 'r'.repeat(1_500) };
    const called = { type: 'function_call', call_id: `call_${at}`, name: 'look', arguments: `{"at":${at}}` };
    const output = [thought, { ...called, id: `fc_${at}`, status: 'completed' }];
    produced += JSON.stringify(output).length;
    const entries = input.map(
      (item): Entry =>
        item.type === 'item_reference' ? [numbers[Number(String(item.id).slice(3))] ?? 0, 0] : item,
    );
    await keepResponse(owner, {
      keyId: owner.keyId,
      response: { id: `resp_${at}`, output, usage: null },
      itemIds: output.map(({ id = '' }) => id),
      ...(await linkInput(owner, { items: input, entries, previous: null })),
    });
    const [row] = numbers.length === 0 ? await rows('max(no) AS no', owner) : [];
    numbers.push(row === undefined ? (numbers.at(-1) ?? 0) + 1 : Number(row.no));
    const result = { type: 'function_call_output', call_id: `call_${at}`, output: `result ${at}` };
    input.push({ type: 'item_reference', id: thought.id }, called, result);
    full.push(thought, called, result);
  }
  return { resolve, step, input, full, produced: () => produced };
}

const STEPS = 1_000;
const sizeOfTables = async () => {
  const { rows } = await pool().query<{ bytes: bigint }>(
    "SELECT pg_total_relation_size('kept_response') + pg_total_relation_size('kept_thread') AS bytes",
  );
  return Number(rows[0]?.bytes);
};

test('an agent with 315 kB of context makes 1,000 steps in an hour, each for less than 5 kB on disk beyond its output', async () => {
  const owner = await newPerson({ credits: 10 });
  const context = Array.from({ length: 3 }, (_, at) => ({ role: 'user', content: `${at}`.repeat(105_000) }));
  const agent = newAgent(owner, context);
  const begin = now();
  const before = await sizeOfTables();
  for (let step = 1; step <= STEPS; step++) {
    setClock(() => begin + (step * HOUR_MS) / STEPS);
    await agent.step();
    if (step % 250 === 0) expect(await agent.resolve({ input: agent.input })).toHaveLength(agent.full.length);
  }
  const disk = (await sizeOfTables()) - before - agent.produced();
  expect(disk / STEPS).toBeLessThan(5_000);

  // All of it is used half an hour later, for the last time half an hour before.
  setClock(() => begin + HOUR_MS + 30 * MINUTE_MS);
  await forgetKeptResponses();
  const shown = (items: Json[]) => items.map(({ id: _, status: __, ...item }) => item);
  expect(shown(await agent.resolve({ input: agent.input }))).toEqual(shown(agent.full));
  const continued = await agent.resolve({ previous_response_id: `resp_${STEPS - 1}`, input: 'On' });
  expect(shown(continued)).toEqual([...shown(agent.full.slice(0, -1)), { role: 'user', content: 'On' }]);
}, 180_000);

test('the oldest input goes before the oldest response, and the newest stays', async () => {
  const owner = await newPerson({ credits: 10 });
  const keep = async (at: number, characters: number) => {
    const items = [{ role: 'user', content: `${at}`.repeat(4).padEnd(3_900_000, 'x') }];
    await keepResponse(owner, {
      keyId: owner.keyId,
      response: {
        id: `resp_${at}`,
        output: [{ type: 'message', id: `msg_${at}`, text: 'y'.repeat(characters) }],
      },
      itemIds: [`msg_${at}`],
      ...(await linkInput(owner, { items, entries: items, previous: null })),
    });
  };
  const begin = now();
  for (let at = 0; at < 18; at++) {
    setClock(() => begin + at);
    await keep(at, 100);
  }
  const kept = await rows('id, input IS NULL AS is_cut', owner);
  expect(kept.filter(({ is_cut }) => is_cut).map(({ id }) => id)).toEqual(['resp_0', 'resp_1', 'resp_2']);
  expect(kept).toHaveLength(18);
  const [sum] = await rows('sum(octet_length(input))::float8 AS bytes', owner);
  expect(sum.bytes).toBeLessThan(MAX_BYTES_PER_APP);
  const agent = newAgent(owner, []);
  const found = await agent.resolve({ input: [{ type: 'item_reference', id: 'msg_0' }] });
  expect(found).toMatchObject([{ id: 'msg_0' }]);
  await expect(agent.resolve({ input: 'On', previous_response_id: 'resp_0' })).rejects.toMatchObject({
    param: 'previous_response_id',
    message: expect.stringContaining('a part of the conversation before this response'),
  });
}, 60_000);

test('the AI SDK makes steps with more than a million characters of context', async () => {
  upstream.script(name, ...[1, 2, 3].map(call), says('Done'));
  const provider = createOpenAI({ baseURL: `${url}/v1`, apiKey: person.userKey });
  const { text: answer, steps } = await generateText({
    model: provider(GPT),
    prompt: 'x'.repeat(1_200_000),
    tools: { look: tool({ inputSchema: z.object({ step: z.number() }), execute: async () => 'seen' }) },
    stopWhen: stepCountIs(10),
    maxRetries: 0,
  });
  expect([answer, steps.length]).toEqual(['Done', 4]);
  expect(lastInput()).toHaveLength(1 + 3 * 2);
});

test('a conversation continued by previous_response_id is kept once, and each response continues from its own place', async () => {
  upstream.script(name, says('One'), says('Two'), says('Three'));
  const first = await client.responses.create({ model: GPT, input: 'a'.repeat(50_000) });
  const second = await client.responses.create({ model: GPT, input: 'b', previous_response_id: first.id });
  await client.responses.create({ model: GPT, input: 'c', previous_response_id: second.id });
  expect(JSON.stringify(lastInput())).toMatch(/aaa.*One.*"b".*Two.*"c"/);
  const [row] = await rows('octet_length(input) AS bytes', person, second.id);
  expect(row.bytes).toBeLessThan(200);
  await client.responses.create({ model: GPT, input: 'd', previous_response_id: first.id });
  expect(JSON.stringify(lastInput())).toMatch(/aaa.*One.*"d"/);
  expect(JSON.stringify(lastInput())).not.toContain('Two');
});

test('a provider that repeats an id replaces the response, and the conversation goes on', async () => {
  upstream.script(name, says('One', 'resp_same'), says('Two', 'resp_same'), says('Three', 'resp_same'));
  await client.responses.create({ model: GPT, input: 'first' });
  for (const input of ['second', 'third'])
    await client.responses.create({ model: GPT, input, previous_response_id: 'resp_same' });
  expect(JSON.stringify(lastInput())).toMatch(/first.*One.*second.*Two.*third/);
  expect((await client.responses.retrieve('resp_same')).output_text).toBe('Three');
  await client.responses.delete('resp_same');
  await expect(client.responses.retrieve('resp_same')).rejects.toMatchObject({ status: 404 });
});

test('a deleted response is gone with its content, and what continued it says so', async () => {
  upstream.script(name, says('One'), says('Two'));
  const first = await client.responses.create({ model: GPT, input: 'first' });
  const second = await client.responses.create({
    model: GPT,
    input: 'second',
    previous_response_id: first.id,
  });
  const stranger = openai(await newPerson({ credits: 10 }));
  await expect(stranger.responses.delete(first.id)).rejects.toMatchObject({ status: 404 });
  await client.responses.delete(first.id);

  await expect(client.responses.retrieve(first.id)).rejects.toMatchObject({ status: 404 });
  await expect(client.responses.delete(first.id)).rejects.toMatchObject({ status: 404 });
  expect(await rows('no', person, first.id)).toEqual([]);
  expect((await client.responses.retrieve(second.id)).output_text).toBe('Two');
  await expect(
    client.responses.create({ model: GPT, input: 'third', previous_response_id: second.id }),
  ).rejects.toMatchObject({
    status: 400,
    param: 'previous_response_id',
    message: expect.stringContaining('deleted'),
  });
});

test('the input of a kept response is listed whole, page by page, in either order', async () => {
  upstream.script(name, says('One'), says('Two'));
  const first = await client.responses.create({ model: GPT, input: 'first' });
  const { id } = await client.responses.create({
    model: GPT,
    input: 'second',
    previous_response_id: first.id,
  });
  const words = async (order: 'asc' | 'desc') => {
    const found: unknown[] = [];
    for await (const item of client.responses.inputItems.list(id, { order, limit: 2 }))
      found.push((item as { content: { text: string }[] }).content[0]?.text);
    return found;
  };
  expect(await words('asc')).toEqual(['first', 'One', 'second']);
  expect(await words('desc')).toEqual(['second', 'One', 'first']);
  const list = client.responses.inputItems.list('resp_none');
  await expect(list).rejects.toMatchObject({ status: 404, message: expect.stringContaining('No response') });
});

test('input items to which a client gave one id are each listed once', async () => {
  upstream.script(name, says('One'));
  const say = (content: string, id?: string) => ({ type: 'message', role: 'user', content, id });
  const input = [say('a', 'item_2'), say('b', 'item_2'), say('c'), say('d', 'item_2')];
  const { id } = await client.responses.create({
    model: GPT,
    input: input as OpenAI.Responses.ResponseInput,
  });
  const listed: { id: string; text: unknown }[] = [];
  for await (const item of client.responses.inputItems.list(id, { order: 'asc', limit: 1 })) {
    const { id, content } = item as { id: string; content: { text: string }[] };
    listed.push({ id, text: content[0]?.text });
    if (listed.length > input.length) break;
  }
  expect(listed.map(({ text }) => text)).toEqual(['a', 'b', 'c', 'd']);
  expect(new Set(listed.map((item) => item.id)).size).toBe(input.length);
});

test('of the outputs in the input of a kept response, only those of the page are read @attack', async () => {
  upstream.script(name, says('1'.repeat(990_000)), says('Two'), says('Three'));
  let id: string | null = null;
  for (const input of ['first', 'second', 'third'])
    ({ id } = await client.responses.create({ model: GPT, input, previous_response_id: id }));
  setByteLimits({ process: 100_000_000, ip: 100_000_000, key: 500_000 });
  const list = (limit: number) => client.responses.inputItems.list(id ?? '', { limit });
  const { data, has_more } = await list(2);
  expect(data).toMatchObject([{ content: [{ text: 'third' }] }, { content: [{ text: 'Two' }] }]);
  expect(has_more).toBe(true);
  await expect(list(4)).rejects.toMatchObject({ status: 429, message: /too large bodies/ });
  setByteLimits();
});

test('the tokens of a request are counted with what it refers to, free of charge', async () => {
  upstream.script(name, says('word '.repeat(5_000)));
  const { id } = await client.responses.create({ model: GPT, input: 'long' });
  const seen = upstream.seen(name).length;
  const count = async (more: object) =>
    (await client.responses.inputTokens.count({ model: GPT, input: 'hi', ...more })).input_tokens;
  expect(await count({})).toBeLessThan(50);
  expect(await count({ previous_response_id: id })).toBeGreaterThan(4_000);
  expect(upstream.seen(name)).toHaveLength(seen);
});

test('a kept response is not streamed again', async () => {
  upstream.script(name, says('One'));
  const { id } = await client.responses.create({ model: GPT, input: 'first' });
  await expect(client.responses.retrieve(id, { stream: true })).rejects.toMatchObject({
    status: 400,
    param: 'stream',
  });
});

const refer = (ids: (string | undefined)[]) =>
  ids.map((id) => ({ type: 'item_reference' as const, id: id ?? '' }));

test('what a request refers to counts in the limits of a body, and nothing is sent beyond them @attack', async () => {
  const ids: string[] = [];
  for (let n = 0; n < 9; n++) {
    upstream.script(name, says(`${n}`.repeat(990_000)));
    const { output } = await client.responses.create({ model: GPT, input: 'long' });
    ids.push(output[0]?.id ?? '');
  }
  upstream.script(name, says('ok'));
  const create = (references: (string | undefined)[]) =>
    client.responses.create({ model: GPT, input: refer(references) });
  await expect(create(Array(5).fill(ids[0]))).rejects.toMatchObject({ status: 400, param: 'input.4.id' });
  await expect(create(ids.flatMap((id) => Array(4).fill(id)))).rejects.toMatchObject({ status: 413 });
  setByteLimits({ process: 100_000_000, ip: 100_000_000, key: 500_000 });
  await expect(create(ids.slice(0, 1))).rejects.toMatchObject({ status: 429, message: /too large bodies/ });
  expect(upstream.seen(name)).toHaveLength(0);
  setByteLimits();
  expect((await create(ids.slice(0, 1))).output_text).toBe('ok');
  expect(bodyBytes()).toBe(0);
}, 60_000);

test('values of what a request refers to count in the limits of a body @attack', async () => {
  const annotations = Array.from({ length: 1_500 }, () => ({
    type: 'url_citation',
    url: 'https://example.com/',
    title: 'x',
    start_index: 0,
    end_index: 1,
    extra: 1,
  }));
  const many = {
    type: 'message',
    role: 'assistant',
    content: [{ type: 'output_text', text: 'x', annotations }],
  };
  upstream.script(name, response([many]));
  const { output } = await client.responses.create({ model: GPT, input: 'long' });
  await expect(
    client.responses.create({ model: GPT, input: refer(Array(4).fill(output[0]?.id)) }),
  ).resolves.toBeDefined();
  const more = { ...many, content: [{ ...many.content[0], annotations: [...annotations, ...annotations] }] };
  upstream.script(name, response([more]));
  const larger = await client.responses.create({ model: GPT, input: 'long' });
  await expect(
    client.responses.create({ model: GPT, input: refer(Array(4).fill(larger.output[0]?.id)) }),
  ).rejects.toMatchObject({ status: 400, message: expect.stringContaining('100000 values') });
});

test('a replayed response counts in the limits of bodies @attack', async () => {
  upstream.script(name, says('z'.repeat(900_000)));
  const create = () =>
    client.responses.create({ model: GPT, input: 'long' }, { headers: { 'idempotency-key': 'replayed' } });
  await create();
  setByteLimits({ process: 100_000_000, ip: 100_000_000, key: 500_000 });
  await expect(create()).rejects.toMatchObject({ status: 429, message: /too large bodies/ });
  setByteLimits();
  expect((await create()).output_text).toHaveLength(900_000);
  expect(bodyBytes()).toBe(0);
});

test('a user without credits is refused before anything is resolved', async () => {
  const poor = await newPerson();
  await expect(
    openai(poor).responses.create({ model: GPT, input: refer(['msg_unknown']) }),
  ).rejects.toMatchObject({ status: 402 });
});
