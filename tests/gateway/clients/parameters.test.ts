import { createOpenAICompatible } from '@ai-sdk/openai-compatible';
import Anthropic from '@anthropic-ai/sdk';
import { ChatOpenAI } from '@langchain/openai';
import { generateText } from 'ai';
import { expect, test } from 'vitest';
import { completion, message } from '../../harness/scripted-responses';
import { startClientWorld, upstreamName } from './world';

/** Parameters that clients send by default or by a setting, to models that reject them. */

const { url, person, upstream } = await startClientWorld();
const apiKey = person.userKey;
const baseURL = `${url}/v1`;
const model = 'openai/gpt-5';
const name = upstreamName(model);

test('LangChain’s temperature does not reach a reasoning model', async () => {
  upstream.script(name, completion({ content: 'Hi' }));
  const chat = new ChatOpenAI({ model, apiKey, temperature: 0.1, stop: ['x'], configuration: { baseURL } });
  expect((await chat.invoke('hi')).text).toBe('Hi');
  expect(upstream.lastBody(name)).not.toHaveProperty('temperature');
  expect(upstream.lastBody(name)).not.toHaveProperty('stop');
});

test('the AI SDK’s temperature does not either, and its effort is fitted to the model', async () => {
  upstream.script(name, completion({ content: 'Hi' }));
  const { text, response } = await generateText({
    model: createOpenAICompatible({ name: 'svc', baseURL, apiKey })(model),
    prompt: 'hi',
    temperature: 0.1,
    providerOptions: { svc: { reasoningEffort: 'max' } },
  });
  expect(text).toBe('Hi');
  expect(upstream.lastBody(name)).toMatchObject({ reasoning_effort: 'high' });
  expect(response.headers?.['x-svc-warnings']).toBe(
    'reasoning_effort was changed to high; temperature was dropped',
  );
});

test.each([
  ['claude-sonnet-5', undefined, 'temperature was dropped; top_k was dropped'],
  ['claude-haiku-4-5', 0.5, null],
])('the temperature of an older Anthropic client reaches %s as %s', async (claude, expected, warnings) => {
  upstream.script(claude, message([{ type: 'text', text: 'Hi' }]));
  const client = new Anthropic({ apiKey, baseURL: url, maxRetries: 0 });
  const { response } = await client.messages
    .create({
      model: `anthropic/${claude}`,
      max_tokens: 9,
      messages: [{ role: 'user', content: 'hi' }],
      // The current client does not know them.
      ...{ temperature: 0.5, top_k: 5 },
    })
    .withResponse();
  expect([upstream.lastBody(claude).temperature, response.headers.get('x-svc-warnings')]).toEqual([
    expected,
    warnings,
  ]);
});
