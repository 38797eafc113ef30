import OpenAI from 'openai';
import { afterAll, beforeAll, expect, test } from 'vitest';
import type { LoopbackServer } from '@/sandbox/loopback-server';
import { startSandboxProvider } from '@/sandbox/provider/server';

/** What tests of the gateway rely on and cannot show themselves: its record of requests. */

let provider: LoopbackServer;
let openai: OpenAI;
beforeAll(async () => {
  provider = await startSandboxProvider();
  openai = new OpenAI({ apiKey: 'sk-upstream-secret', baseURL: provider.url, maxRetries: 0 });
});
afterAll(() => provider.close());

const user = (content: string) => [{ role: 'user' as const, content }];
const log = async () => (await fetch(new URL('/__sandbox/requests', provider.url))).json();

test.each(['stall', 'story'])(
  '%s stops when the client disconnects, and the abort is counted',
  async (model) => {
    const before = (await log()).aborted;
    const events = await openai.chat.completions.create({ model, messages: user('x'), stream: true });
    for await (const chunk of events) if (chunk.choices[0]?.delta.content) break;
    await expect.poll(async () => (await log()).aborted).toBe(before + 1);
  },
);

test('the last requests are kept without the credential', async () => {
  await openai.chat.completions.create({ model: 'echo', messages: user('remember me') });
  const { requests } = await log();
  expect(requests[0]).toMatchObject({
    method: 'POST',
    path: '/v1/chat/completions',
    body: { model: 'echo', messages: user('remember me') },
  });
  expect(requests[0].headers.authorization).toBe('[redacted]');
  expect(JSON.stringify(requests)).not.toContain('sk-upstream-secret');
});

test('large requests are forgotten before they take the memory of the service @attack', async () => {
  for (let n = 0; n < 6; n++)
    await openai.chat.completions.create({
      model: 'echo',
      max_tokens: 1,
      messages: user(`${n} ${'x'.repeat(10_000_000)}`),
    });
  const { requests } = await log();
  expect(
    requests.map(({ body }: { body: { messages: { content: string }[] } }) => body.messages[0]?.content[0]),
  ).toEqual(['5', '4', '3', '2']);
});
