import Anthropic from '@anthropic-ai/sdk';
import OpenAI from 'openai';
import { expect, test } from 'vitest';
import { readHistory } from '@/server/ledger';
import { completion, message } from '../../harness/scripted-responses';
import { CLAUDE, GPT, startClientWorld, upstreamName } from './world';

/** Model ids without their provider, from clients with names of their own or that remove the first part. */

const { url, person, upstream } = await startClientWorld();
const openai = new OpenAI({ apiKey: person.userKey, baseURL: `${url}/v1`, maxRetries: 0 });
const anthropic = new Anthropic({ apiKey: person.userKey, baseURL: url, maxRetries: 0 });
const messages = [{ role: 'user' as const, content: 'hi' }];

test('an id that one provider serves is accepted, answered and charged under its full id', async () => {
  upstream.script(upstreamName(GPT), completion({ content: 'Hi' }));
  const { data, response } = await openai.chat.completions
    .create({ model: upstreamName(GPT), messages })
    .withResponse();
  expect(data.model).toBe(GPT);
  expect(response.headers.get('x-svc-warnings')).toBe(`model ${upstreamName(GPT)} was read as ${GPT}`);
  const { entries } = await readHistory(
    { userId: person.userId, partnerId: person.partnerId },
    { limit: 1, offset: 0 },
  );
  expect(entries[0]).toMatchObject({ usage: { model: GPT } });
});

test('the aliases of Claude Code reach Claude, with other warnings after that of the id', async () => {
  upstream.script(upstreamName(CLAUDE), message([{ type: 'text', text: 'Hi' }]));
  const { data, response } = await anthropic.messages
    .create({ model: upstreamName(CLAUDE), max_tokens: 9, messages, ...{ extra: 1 } })
    .withResponse();
  expect(data.model).toBe(CLAUDE);
  expect(response.headers.get('x-svc-warnings')).toBe(
    `model ${upstreamName(CLAUDE)} was read as ${CLAUDE}; extra was dropped`,
  );
  expect(await anthropic.models.retrieve(upstreamName(CLAUDE))).toMatchObject({ id: CLAUDE });
});

test('an id that several providers serve is refused with all of them', async () => {
  await expect(openai.chat.completions.create({ model: 'echo', messages })).rejects.toMatchObject({
    status: 404,
    message: expect.stringContaining('Did you mean sandbox/echo or sandbox-anthropic/echo?'),
  });
});

test.each([
  [
    'claude-haiku-4.5',
    `Did you mean ${CLAUDE}? If your library removes the first part, write anthropic/${CLAUDE}.`,
  ],
  ['openai/openai/gpt-4.1-mini', 'Did you mean openai/gpt-4.1-mini?'],
  // A model of the catalogue whose provider has no key is not another one.
  ['google/gemini-2.5-pro', 'GET /v1/models lists all models.'],
])('%s gets 404 with the way out', async (model, advice) => {
  await expect(openai.chat.completions.create({ model, messages })).rejects.toMatchObject({
    status: 404,
    message: expect.stringContaining(advice),
  });
});
