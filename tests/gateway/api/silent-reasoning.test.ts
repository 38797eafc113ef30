import { expect, test } from 'vitest';
import { startApi } from '../../harness/api-server';
import { startBillingUpstream } from '../../harness/billing-upstream';
import { newDatabase } from '../../harness/database';
import { newPerson } from '../../harness/people';
import { readReceipts } from '../../harness/receipts';

await newDatabase();
const upstream = await startBillingUpstream();
process.env.OPENAI_API_KEY = 'key-of-the-test';
process.env.OPENAI_BASE_URL = upstream.url;
process.env.UPSTREAM_IDLE_SECONDS = '1';
const api = await startApi();

async function start(model: string) {
  const person = await newPerson({ credits: 500 });
  const called = upstream.nextCall();
  const response = fetch(`${api.url}/v1/chat/completions`, {
    method: 'POST',
    headers: { authorization: `Bearer ${person.userKey}`, 'content-type': 'application/json' },
    body: JSON.stringify({ model, stream: true, messages: [{ role: 'user', content: 'Think for long.' }] }),
  });
  return { person, call: await called, text: response.then((streamed) => streamed.text()) };
}

test('a stream that is silent while its model reasons is not ended early, and its reasoning is charged', async () => {
  upstream.answer({ inputTokens: 25, reasoningTokens: 9_000, first: ['I'], rest: [' see'] });
  const reasons = await start('openai/o3');
  const stalls = await start('openai/gpt-4.1');
  // The later of the two has been silent for too long.
  expect(await stalls.call.wasCancelled).toBe(true);
  reasons.call.proceed();

  expect(await reasons.text).toContain('[DONE]');
  const [receipt] = await readReceipts(reasons.person.userId);
  expect(receipt).toMatchObject({ outcome: 'completed', reasoningTokens: 9_000, estimated: false });
});
