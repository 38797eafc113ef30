import { createAnthropic } from '@ai-sdk/anthropic';
import { createOpenAI } from '@ai-sdk/openai';
import Anthropic from '@anthropic-ai/sdk';
import { createOpenRouter } from '@openrouter/ai-sdk-provider';
import { generateText, type LanguageModel, streamText, type ToolSet } from 'ai';
import OpenAI from 'openai';
import { describe, expect, test } from 'vitest';
import { pool } from '@/server/base/db';
import { checkLedger } from '@/server/ledger';
import { newPerson } from '../../harness/people';
import type { Reply } from '../../harness/scripted-upstream';
import {
  ANNOTATION,
  OPENAI_USAGE,
  ROUTED_USAGE,
  routedSearch,
  routedSearchStream,
  SEARCH_USAGE,
  searchMessage,
  searchResponse,
  searchResponseStream,
  searchStream,
} from '../../harness/search-responses';
import { startClientWorld, upstreamName } from './world';

/** Web searches of the official clients, with the provider of the other format. */

const { url, upstream } = await startClientWorld({ more: ['OPENROUTER'] });
const SONNET = 'anthropic/claude-sonnet-4-5';
const MINI = 'openai/gpt-5-mini';
const ROUTED = 'openrouter/qwen/qwen3.6-27b';
const RATE_BP = 2_500;
const charged = (cost: bigint): bigint => (cost * 12_500n + 9_999n) / 10_000n;
/** In microcredits, with a cent for the search. */
const COST: Record<string, bigint> = {
  [SONNET]: BigInt(SEARCH_USAGE.input) * 300n + BigInt(SEARCH_USAGE.output) * 1_500n + 1_000_000n,
  [MINI]: BigInt(OPENAI_USAGE.input) * 25n + BigInt(OPENAI_USAGE.output) * 200n + 1_000_000n,
  // As OpenRouter reports it.
  [ROUTED]: BigInt(ROUTED_USAGE.costUsd * 1e8),
};
const ANSWER: Record<string, string> = {
  [SONNET]: 'It opens on Friday.',
  [MINI]: 'It opens on Friday ([example.com](https://example.com/ginza)).',
  [ROUTED]: 'It opens on Friday ([example.com](https://example.com/ginza)).',
};
const PAGE = { url: ANNOTATION.url, title: ANNOTATION.title };

const REPLIES: Record<string, [Reply, Reply]> = {
  [SONNET]: [searchMessage(), searchStream()],
  [MINI]: [searchResponse(), searchResponseStream()],
  [ROUTED]: [routedSearch(), routedSearchStream()],
};

function script(model: string, stream: boolean): void {
  const [whole, streamed] = REPLIES[model] ?? [];
  if (whole === undefined || streamed === undefined) throw new Error(`no reply of ${model}`);
  upstream.script(upstreamName(model), stream ? streamed : whole);
}

async function connect() {
  const person = await newPerson({ credits: 10_000, rateBp: RATE_BP });
  const { userKey: apiKey, userId } = person;
  return {
    userId,
    openai: new OpenAI({ apiKey, baseURL: `${url}/v1`, maxRetries: 0 }),
    anthropic: new Anthropic({ apiKey, baseURL: url, maxRetries: 0 }),
    aiOpenai: createOpenAI({ apiKey, baseURL: `${url}/v1` }),
    aiAnthropic: createAnthropic({ apiKey, baseURL: `${url}/v1` }),
    aiRouter: createOpenRouter({ apiKey, baseURL: `${url}/v1` }),
  };
}

async function expectCharge(userId: string, model: string): Promise<void> {
  const { rows } = await pool().query(
    'SELECT web_searches, provider_cost, charge, estimated FROM usage WHERE user_id = $1',
    [userId],
  );
  const cost = COST[model] ?? 0n;
  expect(rows).toEqual([{ web_searches: 1, provider_cost: cost, charge: charged(cost), estimated: false }]);
}

const ASK = [{ role: 'user' as const, content: 'When does the shop open?' }];

describe.each([
  [SONNET, false],
  [SONNET, true],
  [MINI, false],
  [MINI, true],
])('with %s, streamed: %s', (model, stream) => {
  test('openai’s chat completions have the answer and its annotations, and are charged the search', async () => {
    const { openai, userId } = await connect();
    script(model, stream);
    const request = { model, messages: ASK, web_search_options: {} };
    const choice = stream
      ? (await openai.chat.completions.stream(request).finalChatCompletion()).choices[0]
      : (await openai.chat.completions.create(request)).choices[0];
    expect(choice).toMatchObject({ finish_reason: 'stop', message: { content: ANSWER[model] } });
    expect(choice?.message.annotations).toMatchObject([{ type: 'url_citation', url_citation: PAGE }]);
    await expectCharge(userId, model);
  });

  test('openai’s responses have the search, and the answer with its annotations', async () => {
    const { openai, userId } = await connect();
    script(model, stream);
    const request = {
      model,
      input: 'When does the shop open?',
      tools: [{ type: 'web_search' as const }],
      max_tool_calls: 2,
    };
    const response = stream
      ? await openai.responses.stream(request).finalResponse()
      : await openai.responses.create(request);
    expect(response.output_text).toBe(ANSWER[model]);
    expect(response.output).toContainEqual(
      expect.objectContaining({
        type: 'web_search_call',
        status: 'completed',
        action: expect.objectContaining({ type: 'search', query: expect.stringContaining('shops') }),
      }),
    );
    const message = response.output.at(-1);
    expect(message).toMatchObject({ type: 'message', content: [{ annotations: [PAGE] }] });
    await expectCharge(userId, model);

    script(model, false);
    const next = { model, input: 'And tomorrow?', previous_response_id: response.id };
    expect((await openai.responses.create(next)).output_text).toBe(ANSWER[model]);
  });

  test('Anthropic’s messages have the search, its results and the citations', async () => {
    const { anthropic, userId } = await connect();
    script(model, stream);
    const tool = { type: 'web_search_20250305' as const, name: 'web_search' as const, max_uses: 2 };
    const request = { model, max_tokens: 1_000, messages: ASK, tools: [tool] };
    const message = stream
      ? await anthropic.messages.stream(request).finalMessage()
      : await anthropic.messages.create(request);
    expect(message.content).toMatchObject([
      { type: 'server_tool_use', name: 'web_search', input: { query: expect.stringContaining('shops') } },
      { type: 'web_search_tool_result', content: [{ url: PAGE.url }, { url: 'https://example.com/news' }] },
      { type: 'text', text: ANSWER[model], citations: [{ type: 'web_search_result_location', ...PAGE }] },
    ]);
    expect(message.usage.server_tool_use?.web_search_requests).toBe(1);
    await expectCharge(userId, model);

    for (const other of [SONNET, MINI]) {
      script(other, false);
      const history = [...ASK, { role: 'assistant' as const, content: message.content }, ...ASK];
      const next = await anthropic.messages.create({ ...request, model: other, messages: history });
      expect(next.stop_reason).toBe('end_turn');
    }
  });

  const read = async (language: LanguageModel, web_search: unknown) => {
    const tools = { web_search } as ToolSet;
    const settings = { model: language, tools, prompt: 'When does the shop open?', maxRetries: 0 };
    if (!stream) return generateText(settings);
    const result = streamText(settings);
    return { text: await result.text, sources: await result.sources };
  };

  test('the AI SDK has the answer and its sources, with either package', async () => {
    const { aiOpenai, userId } = await connect();
    script(model, stream);
    const ofOpenai = await read(aiOpenai(model), aiOpenai.tools.webSearch({}));
    expect(ofOpenai).toMatchObject({ text: ANSWER[model], sources: [{ sourceType: 'url', ...PAGE }] });
    await expectCharge(userId, model);

    const other = await connect();
    script(model, stream);
    const { aiAnthropic } = other;
    const tool = aiAnthropic.tools.webSearch_20250305({ maxUses: 2 });
    const ofAnthropic = await read(aiAnthropic(model), tool);
    expect(ofAnthropic.text).toBe(ANSWER[model]);
    expect(ofAnthropic.sources).toContainEqual(expect.objectContaining({ sourceType: 'url', url: PAGE.url }));
    await expectCharge(other.userId, model);
  });
});

describe.each([false, true])('with OpenRouter, streamed: %s', (stream) => {
  const tool = { type: 'web_search_20250305' as const, name: 'web_search' as const, max_uses: 2 };

  test('openai’s chat completions have the answer and its annotations, and are charged what it cost', async () => {
    const { openai, userId } = await connect();
    script(ROUTED, stream);
    const request = { model: ROUTED, messages: ASK, web_search_options: {} };
    const choice = stream
      ? (await openai.chat.completions.stream(request).finalChatCompletion()).choices[0]
      : (await openai.chat.completions.create(request)).choices[0];
    expect(choice).toMatchObject({ finish_reason: 'stop', message: { content: ANSWER[ROUTED] } });
    expect(choice?.message.annotations).toMatchObject([{ type: 'url_citation', url_citation: PAGE }]);
    expect(upstream.lastBody(upstreamName(ROUTED))).toMatchObject({
      tools: [{ type: 'openrouter:web_search', parameters: { engine: 'exa', max_uses: 5 } }],
      max_tool_calls: 5,
    });
    await expectCharge(userId, ROUTED);
  });

  test('Anthropic’s messages have the search, its results and the citations', async () => {
    const { anthropic, userId } = await connect();
    script(ROUTED, stream);
    const request = { model: ROUTED, max_tokens: 1_000, messages: ASK, tools: [tool] };
    const message = stream
      ? await anthropic.messages.stream(request).finalMessage()
      : await anthropic.messages.create(request);
    expect(message.content).toContainEqual(
      expect.objectContaining({
        type: 'web_search_tool_result',
        content: [expect.objectContaining({ type: 'web_search_result', ...PAGE })],
      }),
    );
    expect(message.content).toContainEqual(
      expect.objectContaining({
        type: 'text',
        text: ANSWER[ROUTED],
        citations: [expect.objectContaining({ type: 'web_search_result_location', ...PAGE })],
      }),
    );
    expect(message.usage.server_tool_use?.web_search_requests).toBe(1);
    await expectCharge(userId, ROUTED);
  });

  test('openai’s responses have the answer with its annotations', async () => {
    const { openai, userId } = await connect();
    script(ROUTED, stream);
    const request = {
      model: ROUTED,
      input: 'When?',
      tools: [{ type: 'web_search' as const }],
      max_tool_calls: 2,
    };
    const response = stream
      ? await openai.responses.stream(request).finalResponse()
      : await openai.responses.create(request);
    expect(response.output_text).toBe(ANSWER[ROUTED]);
    const message = response.output.find(({ type }) => type === 'message');
    expect(message).toMatchObject({ content: [{ annotations: [PAGE] }] });
    await expectCharge(userId, ROUTED);
  });

  test.each([ROUTED, SONNET])('the plugin of its AI SDK provider searches with %s', async (model) => {
    const { aiRouter, userId } = await connect();
    script(model, stream);
    const settings = {
      model: aiRouter(model, { plugins: [{ id: 'web' as const, max_results: 3 }] }),
      prompt: 'When does the shop open?',
      maxRetries: 0,
    };
    const result = stream ? streamText(settings) : await generateText(settings);
    expect(await result.text).toBe(ANSWER[model]);
    expect(await result.sources).toMatchObject([{ sourceType: 'url', ...PAGE }]);
    await expectCharge(userId, model);
  });
});

test('a stream of OpenRouter that breaks off is charged the search and an estimate of its tokens', async () => {
  const { openai, userId } = await connect();
  upstream.script(upstreamName(ROUTED), routedSearchStream({ breaksOff: true }));
  const request = { model: ROUTED, messages: ASK, web_search_options: {}, stream: true as const };
  const text = await (await openai.chat.completions.create(request).asResponse()).text();
  expect(text).toContain('upstream_error');
  const { rows } = await pool().query(
    'SELECT web_searches, estimated, cost_reported, outcome FROM usage WHERE user_id = $1',
    [userId],
  );
  expect(rows).toEqual([{ web_searches: 1, estimated: true, cost_reported: false, outcome: 'failed' }]);
});

test('Claude Code’s WebSearch works with a model of OpenAI', async () => {
  const { anthropic, userId } = await connect();
  script(MINI, true);
  const message = await anthropic.beta.messages
    .stream({
      model: MINI,
      max_tokens: 32_000,
      system: [{ type: 'text', text: 'You are an assistant for performing a web search tool use' }],
      messages: [
        {
          role: 'user',
          content: [{ type: 'text', text: 'Perform a web search for the query: shops today' }],
        },
      ],
      tools: [{ type: 'web_search_20250305', name: 'web_search', max_uses: 8, allowed_domains: [] }],
      tool_choice: { type: 'tool', name: 'web_search' },
    })
    .finalMessage();
  const results = message.content.find((block) => block.type === 'web_search_tool_result');
  expect(results?.content).toMatchObject([{ url: PAGE.url, title: PAGE.url }, {}]);
  expect(upstream.lastBody(upstreamName(MINI))).toMatchObject({
    tool_choice: 'required',
    tools: [{ type: 'web_search' }],
    max_tool_calls: 8,
  });
  await expectCharge(userId, MINI);
});

test('a translated stream that breaks off is charged the search and an estimate of its tokens', async () => {
  const { openai, userId } = await connect();
  upstream.script(upstreamName(MINI), searchResponseStream(undefined, { breaksOff: true }));
  const request = { model: MINI, messages: ASK, web_search_options: {}, stream: true as const };
  const text = await (await openai.chat.completions.create(request).asResponse()).text();
  expect(text).toContain('upstream_error');
  const { rows } = await pool().query(
    'SELECT web_searches, estimated, outcome FROM usage WHERE user_id = $1',
    [userId],
  );
  expect(rows).toEqual([{ web_searches: 1, estimated: true, outcome: 'failed' }]);
});

test.each(['openai/gpt-4.1-mini', 'sandbox/echo'])('%s has no search to offer', async (model) => {
  const { openai } = await connect();
  await expect(
    openai.chat.completions.create({ model, messages: ASK, web_search_options: {} }),
  ).rejects.toMatchObject({ status: 400, param: 'web_search_options' });
});

test('the ledger agrees with every receipt', async () => {
  expect((await checkLedger()).differences).toEqual([]);
});
