import { existsSync, readdirSync, readFileSync } from 'node:fs';
import { describe, expect, test } from 'vitest';
import { CHAT, exchange, frameEvents, MESSAGES, type Relayed, relay } from './exchange-harness';
import { readResponse, readWithAnthropic, readWithOpenAi } from './official-clients';

/**
 * Responses of real providers, where this machine has them; oddities.test.ts tests what must always hold.
 * `npm --prefix lab run recordings` gets those of OpenAI in its responses format.
 */
const { RECORDED_STREAMS: FOLDER = '../shared/data/streams' } = process.env;
const files = existsSync(FOLDER) ? readdirSync(FOLDER).filter((file) => file.endsWith('.chunks.txt')) : [];

const ANTHROPIC = /^(anthropic|duplicate-message-start)/;
const PROVIDERS: [RegExp, string][] = [
  [ANTHROPIC, 'sandbox-anthropic'],
  [/^xai/, 'xai'],
  [/^deepseek/, 'deepseek'],
  [/^groq/, 'groq'],
  [/^mistral/, 'mistral'],
  [/^moonshot/, 'moonshot'],
  [/./, 'openai'],
];
/** Of OpenAI in its responses format, which chat and messages clients receive if they search the web. */
const IN_RESPONSES = /^responses/;
const SEARCHES = /web-search/;
const providerOf = (file: string): string =>
  PROVIDERS.find(([pattern]) => pattern.test(file))?.[1] ?? 'generic';
const recorded = (file: string): string[] =>
  readFileSync(`${FOLDER}/${file}`, 'utf8').split('\n').filter(Boolean);

const BODIES = {
  chat: { ...CHAT, stream: true, stream_options: { include_usage: true } },
  messages: { ...MESSAGES, stream: true },
  responses: { model: 'some/model', input: 'Hi', stream: true },
};
const SEARCHING = {
  chat: { web_search_options: {} },
  messages: { tools: [{ type: 'web_search_20250305', name: 'web_search' }] },
  responses: { tools: [{ type: 'web_search' }] },
};
type Format = keyof typeof BODIES;

function replay(format: Format, file: string): Relayed {
  const searches = SEARCHES.test(file) || IN_RESPONSES.test(file) ? 5 : 0;
  const body = searches > 0 ? { ...BODIES[format], ...SEARCHING[format] } : BODIES[format];
  const names = ANTHROPIC.test(file) || IN_RESPONSES.test(file);
  return relay(
    exchange(format, body, { provider: providerFor(format, file), searches }),
    frameEvents(recorded(file), { done: !names, names }),
  );
}

/** OpenAI responds to a client of the responses format in that format, so another provider stands for it. */
const providerFor = (format: Format, file: string): string => {
  const provider = providerOf(file);
  return provider === 'openai' && format === 'responses' && !IN_RESPONSES.test(file) ? 'groq' : provider;
};

/** input, cacheRead, cacheWrite5m, output, reasoning: read from the recordings by hand. */
const USAGE: Record<string, number[]> = {
  'anthropic-clear-thinking.1': [69, 0, 0, 53, 0],
  'anthropic-message-delta-input-tokens': [61, 0, 0, 2, 0],
  'anthropic-refusal': [18, 0, 0, 5, 0],
  'anthropic-text': [12, 0, 0, 30, 0],
  'anthropic-tool-no-args': [565, 0, 0, 48, 0],
  'anthropic-web-search-tool.1': [15_665, 0, 0, 795, 0],
  'azure-model-router.1': [15, 0, 0, 78, 64],
  'deepseek-tool-call': [19, 320, 0, 83, 39],
  'duplicate-message-start': [17, 0, 0, 227, 0],
  'groq-tool-call': [210, 0, 0, 15, 0],
  'mistral-incremental-tool-call': [43, 128, 0, 14, 0],
  'mistral-text': [13, 0, 0, 8, 0],
  'moonshotai-stream': [9, 0, 0, 12, 7],
  'openai-text': [16, 0, 0, 300, 0],
  'xai-text': [1, 11, 0, 291, 290],
};

describe.each(files)('%s', (file) => {
  test('is complete for a client of the chat format, including the official client', async () => {
    const { text, facts } = replay('chat', file);
    expect(facts).toMatchObject({ failure: null, finished: true, started: true });
    const response = await readWithOpenAi(text);
    const [choice] = response.choices;
    expect(response.model).toBe('some/model');
    expect(choice?.finish_reason).toBeTruthy();
    for (const call of choice?.message.tool_calls ?? []) {
      if (call.type === 'function') expect(() => JSON.parse(call.function.arguments)).not.toThrow();
    }
  });

  test('is complete for a client of the messages format, including the official client', async () => {
    const { text, facts } = replay('messages', file);
    expect(facts).toMatchObject({ failure: null, finished: true, started: true });
    const message = await readWithAnthropic(text);
    expect(message.model).toBe('some/model');
    expect(message.stop_reason).toBeTruthy();
  });

  test('is complete for a client of the responses format, including the official client', async () => {
    const { text, facts } = replay('responses', file);
    expect(facts).toMatchObject({ failure: null, finished: true, started: true });
    const response = await readResponse(text);
    expect(response.model).toBe('some/model');
    expect(['completed', 'incomplete']).toContain(response.status);
  });

  test('has the same content in every format', async () => {
    const chat = await readWithOpenAi(replay('chat', file).text);
    const message = await readWithAnthropic(replay('messages', file).text);
    const text = message.content.map((block) => (block.type === 'text' ? block.text : '')).join('');
    const calls = message.content.flatMap((block) =>
      block.type === 'tool_use' ? [[block.name, block.input]] : [],
    );
    const chatCalls = chat.choices[0]?.message.tool_calls ?? [];
    const response = await readResponse(replay('responses', file).text);
    const responseCalls = response.output.flatMap((item) =>
      item.type === 'function_call' ? [[item.name, JSON.parse(item.arguments)]] : [],
    );
    expect(text).toBe(chat.choices[0]?.message.content ?? '');
    expect(response.output_text).toBe(text);
    expect(responseCalls).toEqual(calls);
    expect(calls).toEqual(
      chatCalls.map(
        (call) =>
          call.type === 'function' && [call.function.name, JSON.parse(call.function.arguments || '{}')],
      ),
    );
  });

  test('is metered the same for every client format', () => {
    const { usage, outputBytes } = replay('chat', file).facts;
    for (const format of ['messages', 'responses'] as const) {
      const { facts } = replay(format, file);
      expect(facts).toMatchObject({ usage });
      expect(facts.outputBytes).toBe(outputBytes);
    }
    const known = USAGE[file.replace('.chunks.txt', '')];
    if (known !== undefined && usage !== null) {
      expect([usage.input, usage.cacheRead, usage.cacheWrite5m, usage.output, usage.reasoning]).toEqual(
        known,
      );
    }
  });
});

describe.each(files.filter((file) => SEARCHES.test(file)))('the searches of %s', (file) => {
  const isUrl = expect.stringMatching(/^https:/);

  test('are metered, and have their pages and citations in every format', async () => {
    const { searches } = replay('chat', file).facts.usage ?? {};
    expect(searches).toBeGreaterThan(0);

    const message = await readWithAnthropic(replay('messages', file).text);
    const found = message.content.filter(({ type }) => type === 'web_search_tool_result');
    expect(found).toHaveLength(searches ?? 0);
    const cited = message.content.flatMap((block) =>
      block.type === 'text' ? (block.citations ?? []).map((citation) => citation as { url?: string }) : [],
    );
    expect(cited.length).toBeGreaterThan(0);

    const response = await readResponse(replay('responses', file).text);
    expect(response.output.filter(({ type }) => type === 'web_search_call')).toHaveLength(searches ?? 0);
    const annotations = response.output.flatMap((item) =>
      item.type === 'message'
        ? item.content.flatMap((part) => (part.type === 'output_text' ? part.annotations : []))
        : [],
    );
    expect(annotations.map((annotation) => ('url' in annotation ? annotation.url : null))).toEqual(
      cited.map(({ url }) => url),
    );

    const chat = await readWithOpenAi(replay('chat', file).text);
    const { annotations: ofChat, content } = chat.choices[0]?.message ?? {};
    expect(ofChat).toHaveLength(cited.length);
    for (const { url_citation: citation } of ofChat ?? []) {
      expect(citation.url).toEqual(isUrl);
      expect(content?.slice(citation.start_index, citation.end_index).length).toBeGreaterThan(0);
    }
  });
});

test.runIf(files.includes('xai-text.chunks.txt'))(
  'xAI reports the true cost in ticks of 10⁻¹⁰ dollars',
  () => {
    expect(replay('chat', 'xai-text.chunks.txt').facts.providerCost).toBe(1_466_250n * 10_000n);
  },
);

test.runIf(files.includes('openai-text.chunks.txt'))(
  'whole responses are translated into both formats too',
  () => {
    const openai = readFileSync(`${FOLDER}/openai-text.json`, 'utf8');
    const passed = exchange('chat', CHAT, { provider: 'openai' }).readWhole(openai);
    expect(passed.body).toBe(openai.replace('"gpt-4.1-nano-2025-04-14"', '"some/model"'));
    expect(passed.usage).toMatchObject({ input: 16, output: 363 });
    const translated = JSON.parse(
      exchange('messages', MESSAGES, { provider: 'openai' }).readWhole(openai).body,
    );
    expect(translated).toMatchObject({
      stop_reason: 'end_turn',
      usage: { input_tokens: 16, output_tokens: 363 },
    });

    const anthropic = readFileSync(`${FOLDER}/anthropic-text.json`, 'utf8');
    const chat = JSON.parse(exchange('chat', CHAT, { provider: 'anthropic' }).readWhole(anthropic).body);
    expect(chat.choices[0]).toMatchObject({
      finish_reason: 'stop',
      message: { content: JSON.parse(anthropic).content[0].text },
    });
  },
);
