import { expect, test } from 'vitest';
import { type Agent, agentRequest } from './agent-session';
import { openHonestWorld } from './honest-world';

/** What an agent with a small balance is told when a step needs a larger hold than is left. */

const { upstream, send } = await openHonestWorld({ credits: 40 });
const GPT: Agent = { model: 'openai/gpt-5', path: '/v1/chat/completions', maxTokens: 2_000 };
const LONG_FILE = 'const total = await readTotal(entry);\n'.repeat(15_000);

test('a refusal names the prompt if the balance covers the charge of the step before, and opens no checkout', async () => {
  let cachedTokens = 0;
  for (let step = 0; step < 3; step++) {
    upstream.behave({ visibleTokens: 300, cachedTokens });
    const { status, bills } = await send(agentRequest(GPT, step));
    expect(status).toBe(200);
    const { cacheRead, input } = bills[0]?.tokens ?? expect.fail();
    cachedTokens = cacheRead + input;
  }
  const { path, body } = agentRequest(GPT, 3);
  const messages = [...(body.messages as object[]), { role: 'user', content: LONG_FILE }];
  const { error } = await send({ path, body: { ...body, messages } });
  expect(error).toMatchObject({
    param: 'messages',
    message: expect.stringMatching(/which is enough for one like the previous\. Shorten the prompt, /),
  });
});

test('a refusal of a first request names no field, so that the checkout opens', async () => {
  const { path, body } = agentRequest(GPT, 0, 'another task');
  const messages = [{ role: 'user', content: LONG_FILE }];
  const { error } = await send({ path, body: { ...body, messages } });
  expect(error).toMatchObject({ message: expect.stringContaining('open the checkout') });
  expect(error?.param ?? null).toBeNull();
});
