import { expect, test } from 'vitest';
import { readHistory } from '@/server/ledger';
import { startApi } from '../../harness/api-server';
import { configureProviders, modelOf } from '../../harness/custom-providers';
import { newDatabase } from '../../harness/database';
import { newPerson } from '../../harness/people';
import { completion } from '../../harness/scripted-responses';
import { startScriptedUpstream } from '../../harness/scripted-upstream';
import { CORPUS } from '../tokens/corpus';
import { TOKENIZERS } from '../tokens/tokenizers';

/** The provider bills what a real tokenizer counts. A hold that is too small would cap the charge below that. */

await newDatabase();
const upstream = await startScriptedUpstream();
configureProviders(upstream.url, [{ provider: 'honest', format: 'openai' }]);
const api = await startApi();

/** Returns the credits charged, in tokens: at 1 USD per million, a token costs 100 microcredits. */
async function chargedTokens(content: string, promptTokens: number): Promise<number> {
  const { userKey, userId, partnerId } = await newPerson({ credits: 10_000, rateBp: 0 });
  const { body } = completion({ content: 'Hello' });
  const usage = { prompt_tokens: promptTokens, completion_tokens: 1 };
  upstream.script('honest', { body: { ...(body as object), usage } });
  const response = await fetch(`${api.url}/v1/chat/completions`, {
    method: 'POST',
    headers: { authorization: `Bearer ${userKey}` },
    body: JSON.stringify({
      model: modelOf('honest'),
      max_tokens: 1,
      messages: [{ role: 'user', content }],
    }),
  });
  expect([response.status, (await response.text()).slice(0, 0)]).toEqual([200, '']);
  const { entries } = await readHistory({ userId, partnerId }, { limit: 1, offset: 0 });
  return Number(-(entries[0]?.credits ?? 0n)) / 100;
}

/** What the chat format adds to a message. */
const FRAME = 7;

test.each(Object.entries(CORPUS))('a prompt of %s is charged as the provider bills it', async (_, text) => {
  // Counted once: a tokenizer takes quadratic time on some texts.
  const times = Math.ceil(8_000 / text.length);
  const billed = FRAME + times * (TOKENIZERS.o200k?.(text) ?? 0);
  expect(await chargedTokens(text.repeat(times), billed)).toBe(billed + 1);
});
