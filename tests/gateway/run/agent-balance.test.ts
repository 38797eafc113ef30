import { expect, test } from 'vitest';
import { type Agent, agentRequest } from './agent-session';
import { openHonestWorld } from './honest-world';

/** What an agent with a small balance is told when its next step needs a larger hold than is left. */

const CREDITS = 202;
const { upstream, send } = await openHonestWorld({ credits: CREDITS });
const OPUS: Agent = { model: 'anthropic/claude-opus-4-5', path: '/v1/messages', maxTokens: 2_000 };

test('a step that the balance could pay for at the charge of the one before names the prompt, and a first request the checkout', async () => {
  let left = CREDITS * 1_000_000;
  let lastCharge = 0;
  let cachedTokens = 0;
  for (let step = 0; step < 50; step++) {
    upstream.behave({ visibleTokens: 300, cachedTokens });
    const { error, receipt, bills } = await send(agentRequest(OPUS, step));
    if (error !== null) {
      expect(left).toBeGreaterThan(lastCharge);
      expect(error).toMatchObject({
        param: 'messages',
        message: expect.stringMatching(/which cover one like the request before\. Shorten the prompt, /),
      });
      return expectCheckout();
    }
    const { cacheRead, cacheWrite5m } = bills[0]?.tokens ?? expect.fail();
    cachedTokens = cacheRead + cacheWrite5m;
    lastCharge = Number(receipt?.charge ?? 0n);
    left -= lastCharge;
  }
  expect.fail('no step was refused');
});

/** Of a first request, whose charge nobody can foresee. */
async function expectCheckout(): Promise<void> {
  const { error } = await send(agentRequest(OPUS, 0, 'another task'));
  expect(error).toMatchObject({ message: expect.stringContaining('open the checkout') });
  expect(error?.param ?? null).toBeNull();
}
