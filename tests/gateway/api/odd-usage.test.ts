import { afterEach, beforeEach, expect, test } from 'vitest';
import { now, setClock } from '@/server/base/clock';
import { checkLedger, readHistory } from '@/server/ledger';
import { startApi } from '../../harness/api-server';
import { configureProviders, modelOf } from '../../harness/custom-providers';
import { newDatabase } from '../../harness/database';
import { newPerson, type Person } from '../../harness/people';
import { completion, message } from '../../harness/scripted-responses';
import { startScriptedUpstream } from '../../harness/scripted-upstream';

/** Impossible usage is replaced by an estimate, which is both charged and reported. */

await newDatabase();
const upstream = await startScriptedUpstream();
configureProviders(upstream.url, [
  { provider: 'chatty', format: 'openai' },
  { provider: 'claude', format: 'anthropic' },
]);
const api = await startApi();

async function send({ userKey }: Person, provider: string, path: string) {
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

const counts = [9e15, 3e9, -1, 1.5, 'seven', null];

/** No time passes, in which the model could have reasoned unseen. */
beforeEach(() => {
  const start = now();
  setClock(() => start);
});
afterEach(() => setClock());

test.each(counts)('an estimate replaces %j output tokens in the chat format', async (completion_tokens) => {
  const person = await newPerson({ credits: 100, rateBp: 0 });
  const { body } = completion({ content: 'Hello' });
  upstream.script('chatty', {
    body: { ...(body as object), usage: { prompt_tokens: 20, completion_tokens } },
  });
  const reported = await send(person, 'chatty', '/v1/chat/completions');
  expect(reported).toMatchObject({ completion_tokens: 2 });
  await expectCharge(person, reported.prompt_tokens + 2);
});

test.each(counts)('an estimate replaces %j output tokens in the messages format', async (output_tokens) => {
  const person = await newPerson({ credits: 100, rateBp: 0 });
  const usage = { input_tokens: 20, output_tokens };
  upstream.script('claude', message([{ type: 'text', text: 'Hello' }], 'end_turn', { usage }));
  const reported = await send(person, 'claude', '/v1/messages');
  expect(reported).toMatchObject({ output_tokens: 2 });
  await expectCharge(person, reported.input_tokens + 2);
});

/** At 1 USD per million tokens, a token costs 100 microcredits. */
async function expectCharge({ userId, partnerId }: Person, tokens: number) {
  const { entries } = await readHistory({ userId, partnerId }, { limit: 1, offset: 0 });
  expect(entries[0]).toMatchObject({ credits: BigInt(tokens * -100), usage: { estimated: true } });
}

test('the ledger has no differences after all of these requests', async () => {
  expect((await checkLedger()).differences).toEqual([]);
});
