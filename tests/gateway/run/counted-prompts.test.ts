import { expect, test } from 'vitest';
import { seededRandom } from '../../harness/random';
import { chargeOf, openHonestWorld, overrunLoss } from './honest-world';
import { type ApiRequest, Generator } from './random-requests';

/** Without trust in caches, what providers have counted never makes a hold smaller than the bill. */

process.env.CACHE_MISS_PERCENT = '0';
const { upstream, send } = await openHonestWorld();

const CASES = Number(process.env.CASES ?? 60);
const STEPS = 3;

test('the hold covers the bill of conversations that go on in any way @attack', {
  timeout: 120_000 + 400 * CASES,
}, async () => {
  const random = seededRandom();
  const generator = new Generator(random, 400);
  const problems: string[] = [];
  let continued = 0;
  for (let n = 0; n < CASES; n++) {
    let request = generator.request();
    for (let step = 0; step < STEPS; step++) {
      upstream.behave({ visibleTokens: 1 + Math.floor(random() * 50), cachedShare: random() });
      const { billed, receipt } = await send(request);
      if (receipt === null) break;
      if (step > 0) continued++;
      if (receipt.charge !== chargeOf(billed))
        problems.push(
          `${request.path}: charged ${receipt.charge} for ${chargeOf(billed)}, held ${receipt.held}`,
        );
      request = continueWith(request, generator);
    }
  }
  expect(problems).toEqual([]);
  expect(continued).toBeGreaterThan(CASES / 2);
  expect(await overrunLoss()).toBe(0n);
});

/** The messages of another conversation follow. */
function continueWith({ path, body }: ApiRequest, generator: Generator): ApiRequest {
  let other = generator.request();
  while (other.path !== path) other = generator.request();
  const field = path === '/v1/responses' ? 'input' : 'messages';
  return { path, body: { ...body, [field]: [...listOf(body[field]), ...listOf(other.body[field])] } };
}

const listOf = (messages: unknown): unknown[] =>
  typeof messages === 'string' ? [{ role: 'user', content: messages }] : (messages as unknown[]);
