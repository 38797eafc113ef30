import { readFileSync } from 'node:fs';
import { createAnthropic } from '@ai-sdk/anthropic';
import { createOpenAI } from '@ai-sdk/openai';
import { createOpenAICompatible } from '@ai-sdk/openai-compatible';
import Anthropic from '@anthropic-ai/sdk';
import { betaZodTool } from '@anthropic-ai/sdk/helpers/beta/zod';
import { zodOutputFormat } from '@anthropic-ai/sdk/helpers/zod';
import { ChatAnthropic } from '@langchain/anthropic';
import type { BaseChatModel } from '@langchain/core/language_models/chat_models';
import { HumanMessage } from '@langchain/core/messages';
import { tool as langchainTool } from '@langchain/core/tools';
import { ChatOpenAI } from '@langchain/openai';
import { createOpenRouter } from '@openrouter/ai-sdk-provider';
import { generateObject, generateText, type LanguageModel, stepCountIs, streamText, tool } from 'ai';
import OpenAI from 'openai';
import { zodResponseFormat, zodTextFormat } from 'openai/helpers/zod';
import { expect, test } from 'vitest';
import { z } from 'zod';
import manifest from '../../../package.json';
import { startClientWorld } from './world';

/**
 * Every feature of the clients from npm, with a provider of each format. `npm --prefix lab run python-clients` does the same with
 * those from PyPI. The guide shows the result.
 */

const { url, person } = await startClientWorld();
const apiKey = person.userKey;
const baseURL = `${url}/v1`;
/** The sandbox's provider of each format. */
const PROVIDERS = ['sandbox', 'sandbox-anthropic'];

const CITY = z.object({ city: z.string() });
const CITY_SCHEMA = z.toJSONSchema(CITY) as Record<string, unknown>;
const OSLO = { city: 'Oslo' };
const WEATHER = { name: 'weather', description: 'The weather of a city' };
const say = ({ city }: z.infer<typeof CITY>): string => `warm in ${city}`;
const ASK = [{ role: 'user' as const, content: 'Oslo' }];

type Attempt = (provider: string) => Promise<unknown>;
/** What each feature returns if it works: the text of the prompt, of the tool's result, or the object. */
type Features = { chat: Attempt; stream: Attempt; tools: Attempt; structured: Attempt };

const openai = new OpenAI({ apiKey, baseURL, maxRetries: 0 });
const completions: Features = {
  chat: async (provider) => {
    const answer = await openai.chat.completions.create({ model: `${provider}/echo`, messages: ASK });
    return answer.choices[0]?.message.content;
  },
  stream: async (provider) =>
    openai.chat.completions.stream({ model: `${provider}/echo`, messages: ASK }).finalContent(),
  tools: async (provider) =>
    openai.chat.completions
      .runTools({
        model: `${provider}/tool`,
        messages: ASK,
        tools: [
          {
            type: 'function',
            function: { ...WEATHER, parameters: CITY_SCHEMA, parse: JSON.parse, function: say },
          },
        ],
      })
      .finalContent(),
  structured: async (provider) => {
    const format = { response_format: zodResponseFormat(CITY, 'place') };
    const answer = await openai.chat.completions.parse({
      model: `${provider}/echo`,
      messages: ASK,
      ...format,
    });
    return answer.choices[0]?.message.parsed;
  },
};

const responses: Features = {
  chat: async (provider) =>
    (await openai.responses.create({ model: `${provider}/echo`, input: 'Oslo' })).output_text,
  stream: async (provider) => {
    const stream = openai.responses.stream({ model: `${provider}/echo`, input: 'Oslo' });
    return (await stream.finalResponse()).output_text;
  },
  tools: async (provider) => {
    const given = {
      model: `${provider}/tool`,
      tools: [{ type: 'function' as const, ...WEATHER, parameters: CITY_SCHEMA, strict: true }],
    };
    const called = await openai.responses.create({ ...given, input: 'Oslo' });
    const results = called.output.flatMap((item) =>
      item.type === 'function_call'
        ? [
            {
              type: 'function_call_output' as const,
              call_id: item.call_id,
              output: say(JSON.parse(item.arguments)),
            },
          ]
        : [],
    );
    const answer = await openai.responses.create({
      ...given,
      input: results,
      previous_response_id: called.id,
    });
    return answer.output_text;
  },
  structured: async (provider) => {
    const text = { format: zodTextFormat(CITY, 'place') };
    return (await openai.responses.parse({ model: `${provider}/echo`, input: 'Oslo', text })).output_parsed;
  },
};

const anthropic = new Anthropic({ apiKey, baseURL: url, maxRetries: 0 });
const messages: Features = {
  chat: async (provider) => {
    const answer = await anthropic.messages.create({
      model: `${provider}/echo`,
      max_tokens: 500,
      messages: ASK,
    });
    return answer.content.find((block) => block.type === 'text')?.text;
  },
  stream: async (provider) =>
    anthropic.messages.stream({ model: `${provider}/echo`, max_tokens: 500, messages: ASK }).finalText(),
  tools: async (provider) => {
    const answer = await anthropic.beta.messages.toolRunner({
      model: `${provider}/tool`,
      max_tokens: 500,
      messages: ASK,
      tools: [betaZodTool({ ...WEATHER, inputSchema: CITY, run: say })],
    });
    return answer.content.find((block) => block.type === 'text')?.text;
  },
  structured: async (provider) => {
    const answer = await anthropic.messages.parse({
      model: `${provider}/echo`,
      max_tokens: 500,
      messages: ASK,
      output_config: { format: zodOutputFormat(CITY) },
    });
    return answer.parsed_output;
  },
};

/** Objects are read from JSON, or from a call of a tool that the package forces on models that it does not know. */
const ofAiSdk = (open: (model: string) => LanguageModel, objects: 'echo' | 'tool' = 'echo'): Features => {
  const settings = { maxRetries: 0, maxOutputTokens: 500, prompt: 'Oslo' };
  return {
    chat: async (provider) => (await generateText({ ...settings, model: open(`${provider}/echo`) })).text,
    stream: async (provider) => streamText({ ...settings, model: open(`${provider}/echo`) }).text,
    tools: async (provider) => {
      const weather = tool({
        description: WEATHER.description,
        inputSchema: CITY,
        execute: async (of) => say(of),
      });
      const model = open(`${provider}/tool`);
      return (await generateText({ ...settings, model, tools: { weather }, stopWhen: stepCountIs(3) })).text;
    },
    structured: async (provider) =>
      (await generateObject({ ...settings, model: open(`${provider}/${objects}`), schema: CITY })).object,
  };
};

const ofLangchain = (open: (model: string) => BaseChatModel): Features => ({
  chat: async (provider) => (await open(`${provider}/echo`).invoke('Oslo')).text,
  stream: async (provider) => {
    let text = '';
    for await (const piece of await open(`${provider}/echo`).stream('Oslo')) text += piece.text;
    return text;
  },
  tools: async (provider) => {
    const weather = langchainTool(say, { ...WEATHER, schema: CITY });
    const model = open(`${provider}/tool`).bindTools?.([weather]);
    if (model === undefined) throw new Error('the class binds no tools');
    const said = [new HumanMessage('Oslo')];
    const called = await model.invoke(said);
    const results = await Promise.all(called.tool_calls?.map((call) => weather.invoke(call)) ?? []);
    return (await model.invoke([...said, called, ...results])).text;
  },
  structured: async (provider) =>
    open(`${provider}/echo`).withStructuredOutput(CITY, { method: 'jsonSchema' }).invoke('Oslo'),
});

const aiOpenai = createOpenAI({ baseURL, apiKey });
const aiAnthropic = createAnthropic({ baseURL, apiKey });
const aiCompatible = createOpenAICompatible({
  name: 'svc',
  baseURL,
  apiKey,
  supportsStructuredOutputs: true,
});
const aiRouter = createOpenRouter({ baseURL, apiKey });
const langchain = { apiKey, maxRetries: 0, configuration: { baseURL } };

const WAYS: [keyof typeof manifest.devDependencies, string, Features][] = [
  ['openai', 'chat completions', completions],
  ['openai', 'responses', responses],
  ['@anthropic-ai/sdk', 'messages', messages],
  ['@ai-sdk/openai', 'chat completions', ofAiSdk((model) => aiOpenai.chat(model))],
  ['@ai-sdk/openai', 'responses', ofAiSdk((model) => aiOpenai(model))],
  ['@ai-sdk/anthropic', 'messages', ofAiSdk((model) => aiAnthropic(model), 'tool')],
  ['@ai-sdk/openai-compatible', 'chat completions', ofAiSdk((model) => aiCompatible(model))],
  ['@openrouter/ai-sdk-provider', 'chat completions', ofAiSdk((model) => aiRouter(model))],
  ['@langchain/openai', 'chat completions', ofLangchain((model) => new ChatOpenAI({ ...langchain, model }))],
  [
    ...(['@langchain/openai', 'responses'] as const),
    ofLangchain((model) => new ChatOpenAI({ ...langchain, model, useResponsesApi: true })),
  ],
  [
    ...(['@langchain/anthropic', 'messages'] as const),
    ofLangchain((model) => new ChatAnthropic({ apiKey, model, anthropicApiUrl: url, maxTokens: 500 })),
  ],
];

test.each(WAYS)('%s by %s does everything with providers of both formats', async (_, __, features) => {
  for (const provider of PROVIDERS) {
    expect(await features.chat(provider)).toBe('Oslo');
    expect(await features.stream(provider)).toBe('Oslo');
    expect(await features.tools(provider)).toContain('warm in Oslo');
    expect(await features.structured(provider)).toEqual(OSLO);
  }
});

test('the guide shows each with the version that was tested', () => {
  const guide = readFileSync('docs/clients.md', 'utf8').split('\n');
  const rows = WAYS.map(([name, way]) => `| ${name} | ${manifest.devDependencies[name]} | ${way} | all |`);
  expect(rows.filter((row) => !guide.includes(row))).toEqual([]);
});
