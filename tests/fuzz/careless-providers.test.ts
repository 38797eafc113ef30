import { createAnthropic } from '@ai-sdk/anthropic';
import { createOpenAI } from '@ai-sdk/openai';
import { createOpenAICompatible } from '@ai-sdk/openai-compatible';
import Anthropic from '@anthropic-ai/sdk';
import OpenAI from 'openai';
import { expect, test } from 'vitest';
import { ApiError } from '@/server/base/errors';
import type { Json } from '@/server/gateway/protocols/neutral';
import { CHAT, exchange, MESSAGES } from '../gateway/wire/exchange-harness';
import { randomFrom } from '../harness/random';
import { type Careless, careless, Dice, type ProviderFormat } from './careless-provider';

/**
 * Providers that leave out, empty, repeat, reorder and replace anything in their responses. The official clients get
 * a whole response or an error of theirs. `npm --prefix lab run fuzz` sends more of them.
 */

const CASES = Number(process.env.FUZZ_CASES ?? 400);
const SEED = Number(process.env.FUZZ_SEED ?? 7);
/** Faults enough to work on. */
const ENOUGH = 20;

type Client = 'chat' | 'messages' | 'responses';
const CLIENTS: Client[] = ['chat', 'messages', 'responses'];
const FORMATS: ProviderFormat[] = ['openai', 'anthropic', 'responses'];

const REQUESTS: Record<Client, Json> = {
  chat: { ...CHAT, stream_options: { include_usage: true } },
  messages: MESSAGES,
  responses: { model: 'some/model', input: 'Hi' },
};
/** OpenAI is called in its responses format by clients of other formats that search. */
const SEARCHES: Record<Client, Json> = {
  chat: { web_search_options: {} },
  messages: { tools: [{ type: 'web_search_20250305', name: 'web_search', max_uses: 1 }] },
  responses: { tools: [{ type: 'web_search' }], max_tool_calls: 1 },
};
const PROVIDERS = { openai: 'generic', anthropic: 'anthropic', responses: 'openai' };

/** What a client receives. `error` is the failure that the service reports, before or in the stream. */
type Received = { text: string; error: ApiError | null };

function receive(client: Client, { format, body, isStream }: Careless): Received {
  const searches = format === 'responses' ? 1 : 0;
  const request = { ...REQUESTS[client], stream: isStream, ...(searches > 0 && SEARCHES[client]) };
  const prepared = exchange(client, request, { provider: PROVIDERS[format], searches });
  if (!isStream) {
    try {
      return { text: prepared.readWhole(body).body, error: null };
    } catch (error) {
      if (error instanceof ApiError) return { text: '', error };
      throw error;
    }
  }
  const stream = prepared.openStream();
  const text = stream.push(new TextEncoder().encode(body)) + stream.end();
  const error = stream.facts.failure?.error ?? null;
  if (error !== null && !stream.facts.started) return { text: '', error };
  return { text: text + (error === null ? stream.finish(0.01) : stream.fail(error)), error };
}

type Reader = (fetch: typeof globalThis.fetch, isStream: boolean) => Promise<unknown>;

const hi = [{ role: 'user' as const, content: 'Hi' }];
const prompt = [{ role: 'user' as const, content: [{ type: 'text' as const, text: 'Hi' }] }];

async function drain(stream: ReadableStream<{ type: string; error?: unknown }>): Promise<void> {
  for await (const part of stream as unknown as AsyncIterable<{ type: string; error?: unknown }>)
    if (part.type === 'error') throw part.error;
}

type Model = ReturnType<ReturnType<typeof createOpenAI>>;
const withModel =
  (create: (fetch: typeof globalThis.fetch) => Model): Reader =>
  async (fetch, isStream) => {
    const model = create(fetch);
    if (isStream) await drain((await model.doStream({ prompt })).stream as never);
    else await model.doGenerate({ prompt });
  };

const keys = (fetch: typeof globalThis.fetch) => ({ apiKey: 'key', baseURL: 'http://127.0.0.1:9', fetch });

const READERS: Record<Client, Record<string, Reader>> = {
  chat: {
    async helper(fetch, isStream) {
      const { completions } = new OpenAI({ ...keys(fetch), maxRetries: 0 }).chat;
      const request = { model: 'm', messages: hi };
      if (isStream) readMessage(await completions.stream(request).finalChatCompletion());
      else readMessage(await completions.create(request));
    },
    async loop(fetch, isStream) {
      if (!isStream) return;
      const { completions } = new OpenAI({ ...keys(fetch), maxRetries: 0 }).chat;
      for await (const { choices } of await completions.create({ model: 'm', messages: hi, stream: true }))
        for (const { delta } of choices)
          String(delta.content).concat(...(delta.tool_calls ?? []).map(nameOf));
    },
    'AI SDK': withModel((fetch) => createOpenAI(keys(fetch)).chat('m')),
    'compatible AI SDK': withModel(
      (fetch) => createOpenAICompatible({ name: 'x', ...keys(fetch) })('m') as Model,
    ),
  },
  messages: {
    async helper(fetch, isStream) {
      const { messages } = new Anthropic({ ...keys(fetch), maxRetries: 0 });
      const request = { model: 'm', max_tokens: 9, messages: hi };
      const { content, usage } = isStream
        ? await messages.stream(request).finalMessage()
        : await messages.create(request);
      for (const block of content) {
        if (block.type === 'tool_use') Object.keys(block.input as object).concat(block.id, block.name);
        if (block.type === 'text') block.text.trim();
      }
      usage.output_tokens.toFixed();
    },
    'AI SDK': withModel((fetch) => createAnthropic(keys(fetch))('m') as Model),
  },
  responses: {
    async helper(fetch, isStream) {
      const { responses } = new OpenAI({ ...keys(fetch), maxRetries: 0 });
      const request = { model: 'm', input: 'Hi' };
      const response = isStream
        ? await responses.stream(request).finalResponse()
        : await responses.create(request);
      response.output_text.trim();
      response.usage?.output_tokens.toFixed();
    },
    'AI SDK': withModel((fetch) => createOpenAI(keys(fetch)).responses('m')),
  },
};

const nameOf = (call: { function?: { name?: string } }): string => call.function?.name ?? '';

function readMessage({ choices, usage }: OpenAI.ChatCompletion): void {
  const [choice] = choices;
  if (choice === undefined) throw new Error('no choice');
  choice.message.content?.trim();
  for (const call of choice.message.tool_calls ?? [])
    if (call.type === 'function') call.function.arguments.trim();
  usage?.completion_tokens.toFixed();
}

const isProper = (error: unknown): boolean =>
  error instanceof OpenAI.APIError ||
  error instanceof Anthropic.APIError ||
  // The AI SDK reports the error of the stream as it is.
  !(error instanceof Error) ||
  error.name === 'AI_APICallError';

async function findFault(client: Client, sent: Careless): Promise<string[]> {
  const { text, error } = receive(client, sent);
  if (error !== null && text === '') return [];
  const type = sent.isStream ? 'text/event-stream' : 'application/json';
  const fetch = () => Promise.resolve(new Response(text, { headers: { 'content-type': type } }));
  const faults: string[] = [];
  for (const [name, read] of Object.entries(READERS[client])) {
    const thrown = await read(fetch, sent.isStream).then(
      () => null,
      (reason: unknown) => reason ?? 'nothing',
    );
    const isRight = error === null ? thrown === null : thrown === null || isProper(thrown);
    if (!isRight) faults.push(`${client} from ${sent.format}, ${name}: ${thrown}\n${sent.body}\n→ ${text}`);
  }
  return faults;
}

test(
  `of ${CASES} careless responses, each official client reads a whole one or an error of its own`,
  async () => {
    console.info(`FUZZ_SEED=${SEED} FUZZ_CASES=${CASES}`);
    const dice = new Dice(randomFrom(SEED));
    const faults: string[] = [];
    const counts = { whole: 0, failed: 0 };
    for (let count = 0; count < CASES && faults.length < ENOUGH; count++) {
      const client = dice.pick(CLIENTS);
      const sent = careless(dice, dice.pick(FORMATS), !dice.isOneIn(3));
      counts[receive(client, sent).error === null ? 'whole' : 'failed']++;
      faults.push(...(await findFault(client, sent)).map((fault) => `case ${count}: ${fault}`));
    }
    console.info(counts);
    expect(faults).toEqual([]);
    expect(counts.whole).toBeGreaterThan(CASES / 4);
  },
  60_000 + CASES * 50,
);
