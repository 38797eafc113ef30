import { expect, test } from 'vitest';
import { checkLedger } from '@/server/ledger';
import { seededRandom } from '../../harness/random';
import { chargeOf, type Outcome, openHonestWorld, overrunLoss } from './honest-world';
import { type ApiRequest, Generator } from './random-requests';

const { upstream, send } = await openHonestWorld();

const CASES = Number(process.env.CASES ?? 300);
const LONGEST_TEXT = 2_000;

test('random requests are charged what their provider bills, or refused with a reason', {
  timeout: 240_000,
}, async () => {
  const random = seededRandom();
  const generator = new Generator(random, LONGEST_TEXT);
  const problems: string[] = [];
  let charged = 0;
  for (let n = 0; n < CASES; n++) {
    upstream.behave({
      visibleTokens: 1 + Math.floor(random() * 300),
      reasoningTokens: random() < 0.4 ? Math.floor(random() * 5_000) : 0,
      cachedShare: random() < 0.3 ? random() : 0,
      searches: Math.floor(random() * 4),
      refuses: random() < 0.05,
      priceFactor: random() < 0.1 ? 3n : 1n,
    });
    const request = generator.request();
    const outcome = await send(request);
    if (outcome.receipt !== null) charged++;
    const problem = findProblem(outcome);
    if (problem !== null) problems.push(`${problem}: ${describe(request)}`);
  }
  expect(problems).toEqual([]);
  expect(charged).toBeGreaterThan(CASES / 4);
  expect(await overrunLoss()).toBe(0n);
  expect((await checkLedger()).differences).toEqual([]);
});

/** Refused by us, or by the provider: then 403 or 404 and, for OpenRouter, no endpoint at our price. */
const REFUSALS = [400, 402, 403, 404, 413, 502, 503];

function findProblem({ status, error, billed, receipt }: Outcome): string | null {
  if (status !== 200 && (!REFUSALS.includes(status) || !error?.message)) return `status ${status}`;
  const charge = receipt?.charge ?? 0n;
  if (charge !== chargeOf(billed))
    return `status ${status}, charged ${charge} for a bill of ${chargeOf(billed)}`;
  return receipt !== null && receipt.held < chargeOf(billed) ? `held ${receipt.held}` : null;
}

function describe({ path, body }: ApiRequest): string {
  const text = JSON.stringify(body);
  return `${path} ${text.length > 1_500 ? `${text.slice(0, 1_500)}…` : text}`;
}
