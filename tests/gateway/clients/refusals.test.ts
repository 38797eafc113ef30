import { createAnthropic } from '@ai-sdk/anthropic';
import { createOpenAI } from '@ai-sdk/openai';
import { createOpenAICompatible } from '@ai-sdk/openai-compatible';
import Anthropic from '@anthropic-ai/sdk';
import { ChatAnthropic } from '@langchain/anthropic';
import { ChatOpenAI } from '@langchain/openai';
import { generateText, type LanguageModel, streamText } from 'ai';
import OpenAI from 'openai';
import { expect, test } from 'vitest';
import { newPerson } from '../../harness/people';
import { startClientWorld } from './world';

/** The properties in which each client reports a 402, as the errors page documents. */

const { url } = await startClientWorld();
const { userKey: apiKey } = await newPerson({ credits: 0 });
const baseURL = `${url}/v1`;
const model = 'sandbox/story';
const messages = [{ role: 'user' as const, content: 'Hello' }];
const generate = (languageModel: LanguageModel) => generateText({ model: languageModel, prompt: 'Hello' });

test.each<[string, () => Promise<unknown>]>([
  ['openai', () => new OpenAI({ apiKey, baseURL }).chat.completions.create({ model, messages })],
  [
    '@anthropic-ai/sdk',
    () => new Anthropic({ apiKey, baseURL: url }).messages.create({ model, messages, max_tokens: 9 }),
  ],
  ['ChatOpenAI', () => new ChatOpenAI({ model, apiKey, configuration: { baseURL } }).invoke('Hello')],
  ['ChatAnthropic', () => new ChatAnthropic({ model, apiKey, anthropicApiUrl: url }).invoke('Hello')],
])('%s throws an error with status and type', async (_, request) => {
  await expect(request()).rejects.toMatchObject({ status: 402, type: 'insufficient_credits' });
});

const REFUSED = { statusCode: 402, data: { error: { type: 'insufficient_credits' } } };

test.each<[string, () => LanguageModel]>([
  ['openai-compatible', () => createOpenAICompatible({ name: 'svc', baseURL, apiKey })(model)],
  ['openai', () => createOpenAI({ baseURL, apiKey }).chat(model)],
  ['anthropic', () => createAnthropic({ baseURL, apiKey })(model)],
])('the AI SDK with %s throws an error with statusCode and data', async (_, open) => {
  await expect(generate(open())).rejects.toMatchObject(REFUSED);
});

test('the AI SDK passes the error to onError while streaming', async () => {
  const error = await new Promise((onError) => {
    const languageModel = createOpenAICompatible({ name: 'svc', baseURL, apiKey })(model);
    void streamText({
      model: languageModel,
      prompt: 'Hello',
      onError: ({ error }) => onError(error),
    }).consumeStream();
  });
  expect(error).toMatchObject(REFUSED);
});

test('Claude Code and others do not retry a key that is wrong or revoked', async () => {
  const revoked = `${apiKey.slice(0, -1)}${apiKey.endsWith('0') ? '1' : '0'}`;
  for (const key of [revoked, 'sk-of-another-service']) {
    const response = await fetch(`${url}/v1/messages`, {
      method: 'POST',
      headers: { authorization: `Bearer ${key}`, 'content-type': 'application/json' },
      body: JSON.stringify({ model, messages, max_tokens: 9 }),
    });
    expect([response.status, response.headers.get('x-should-retry')]).toEqual([401, 'false']);
  }
});
