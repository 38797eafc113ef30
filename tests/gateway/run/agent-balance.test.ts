import { expect, test } from 'vitest';
import { type Agent, agentRequest } from './agent-session';
import { openHonestWorld } from './honest-world';
import type { ApiRequest } from './random-requests';

/** What an agent with a small balance is told when a step needs a larger hold than is left. */

const CREDITS = 40_000_000n;
const { upstream, send } = await openHonestWorld({ credits: 40 });
let spent = 0n;
const GPT: Agent = { model: 'openai/gpt-5', path: '/v1/chat/completions', maxTokens: 2_000 };
const LONG_FILE = 'const total = await readTotal(entry);\n'.repeat(15_000);

/** Sends a step, of whose prompt the provider has cached as many tokens. */
async function sendStep(request: ApiRequest, cached: number) {
  upstream.behave({ visibleTokens: 300, cachedTokens: cached });
  const { receipt, bills } = await send(request);
  const { held, charge } = receipt ?? expect.fail();
  const { cacheRead, input } = bills[0]?.tokens ?? expect.fail();
  spent += charge;
  return { held, charge, cachedTokens: cacheRead + input };
}

test('a refusal names the prompt if the balance covers the charge of the step before, and opens no checkout', async () => {
  let cachedTokens = 0;
  for (let step = 0; step < 3; step++) {
    ({ cachedTokens } = await sendStep(agentRequest(GPT, step), cachedTokens));
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

test('a step that continues another leaves half of a short balance to steps at the same time', async () => {
  const left = CREDITS - spent;
  const { held } = await sendStep(agentRequest({ ...GPT, maxTokens: 60_000 }, 3), 0);
  expect(held).toBe(left / 2n);
});
