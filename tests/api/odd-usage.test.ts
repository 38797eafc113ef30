import { expect, test } from 'vitest';
import { checkLedger, readHistory } from '@/server/ledger';
import { startApi } from '../harness/api-server';
import { newDatabase } from '../harness/database';
import { configureProviders, modelOf } from '../harness/custom-providers';
import { newPerson, type Person } from '../harness/people';
import { completion, message } from '../harness/scripted-responses';
import { startScriptedUpstream } from '../harness/scripted-upstream';

/** Usage that cannot be true: answered at once, charged as an estimate, and told as it is charged. */

await newDatabase();
const upstream = await startScriptedUpstream();
configureProviders(upstream.url, [
  { provider: 'chatty', format: 'openai' },
  { provider: 'claude', format: 'anthropic' },
]);
const api = await startApi();

async function ask({ userKey }: Person, provider: string, path: string) {
  const response = await fetch(api.url + path, {
    method: 'POST',
    headers: { authorization: `Bearer ${userKey}` },
    body: JSON.stringify({
      model: modelOf(provider),
      max_tokens: 50,
      messages: [{ role: 'user', content: 'hi' }],
    }),
  });
  return (await response.json()).usage;
}

const counts = [9e15, 3e9, -1, 1.5, '7', null];

test.each(counts)('%j tokens of output, in the chat format', async (completion_tokens) => {
  const person = await newPerson({ credits: 100, rateBp: 0 });
  const { body } = completion({ content: 'Hello' });
  upstream.script('chatty', {
    body: { ...(body as object), usage: { prompt_tokens: 20, completion_tokens } },
  });
  const told = await ask(person, 'chatty', '/v1/chat/completions');
  expect(told).toMatchObject({ completion_tokens: 2 });
  await expectCharge(person, told.prompt_tokens + 2);
});

test.each(counts)('%j tokens of output, in the messages format', async (output_tokens) => {
  const person = await newPerson({ credits: 100, rateBp: 0 });
  const usage = { input_tokens: 20, output_tokens };
  upstream.script('claude', message([{ type: 'text', text: 'Hello' }], 'end_turn', { usage }));
  const told = await ask(person, 'claude', '/v1/messages');
  expect(told).toMatchObject({ output_tokens: 2 });
  await expectCharge(person, told.input_tokens + 2);
});

/** At a dollar per million tokens a token costs a hundred millionths of a credit. */
async function expectCharge({ userId, partnerId }: Person, tokens: number) {
  const { entries } = await readHistory({ userId, partnerId }, { limit: 1, offset: 0 });
  expect(entries[0]).toMatchObject({ credits: BigInt(tokens * -100), usage: { estimated: true } });
}

test('after all of it the ledger agrees', async () => {
  expect((await checkLedger()).differences).toEqual([]);
});
