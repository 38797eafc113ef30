import { expect, test } from 'vitest';
import { formatCredits, parseCredits } from '@/server/base/credits';
import { checkLedger } from '@/server/ledger';
import { seededRandom } from '../../harness/random';
import { chargeOf, openHonestWorld, overrunLoss, type Sent } from './honest-world';
import { Generator } from './random-requests';

/** `x-svc-max-credits`: the most that a request may cost. */

const { upstream, send } = await openHonestWorld();

const CASES = Number(process.env.CASES ?? 300);
const LONGEST_TEXT = 2_000;

const sendUnder = (ceiling: bigint, request: Sent) =>
  send({ ...request, headers: { 'x-svc-max-credits': formatCredits(ceiling) } });

/** The least that would do, as the refusal says. */
function leastOf(message: string): bigint {
  const [, least = ''] =
    /^This request costs at least ([\d.]+) credits?, and its ceiling /.exec(message) ?? [];
  return parseCredits(least) ?? 0n;
}

const EMBEDDING: Sent = {
  path: '/v1/embeddings',
  body: { model: 'sandbox/embed', input: ['The sea. '.repeat(500), 'A boat'] },
};

test('no request of any format costs more than its ceiling, and a refusal names one that would do @attack', {
  timeout: 240_000,
}, async () => {
  const random = seededRandom();
  const generator = new Generator(random, LONGEST_TEXT);
  const outcomes = { charged: 0, refused: 0 };
  for (let n = 0; n < CASES; n++) {
    upstream.behave({
      visibleTokens: 1 + Math.floor(random() * 3_000),
      reasoningTokens: random() < 0.4 ? Math.floor(random() * 5_000) : 0,
      cachedShare: random() < 0.3 ? random() : 0,
      searches: Math.floor(random() * 4),
      refuses: random() < 0.05,
      priceFactor: random() < 0.1 ? 3n : 1n,
    });
    const request = random() < 0.1 ? EMBEDDING : generator.request();
    const ceiling = BigInt(Math.ceil(10 ** (1 + random() * 7)));
    const { status, error, billed, bills, receipt } = await sendUnder(ceiling, request);
    if (receipt !== null) {
      expect(receipt.held).toBeLessThanOrEqual(ceiling);
      expect(receipt.charge).toBeLessThanOrEqual(receipt.held);
      outcomes.charged++;
      if (request !== EMBEDDING) expect(receipt.charge).toBe(chargeOf(billed));
    }
    if (error?.param !== 'max_credits') continue;
    expect([status, bills.length]).toEqual([402, 0]);
    const least = leastOf(error.message);
    expect(least).toBeGreaterThan(ceiling);
    expect((await sendUnder(least, request)).error?.param).not.toBe('max_credits');
    outcomes.refused++;
  }
  expect(outcomes.charged).toBeGreaterThan(CASES / 10);
  expect(outcomes.refused).toBeGreaterThan(CASES / 10);
  expect(await overrunLoss()).toBe(0n);
  expect((await checkLedger()).differences).toEqual([]);
});

test.each(['', '0', '-1', '0.0000001', '1e3', 'NaN', '1,5', 'Infinity', '0x10', '9'.repeat(13), '1 2'])(
  'the ceiling %j is a 400 that names the header, whatever the body',
  async (ceiling) => {
    const { status, error } = await send({
      path: '/v1/chat/completions',
      body: {},
      headers: { 'x-svc-max-credits': ceiling },
    });
    expect([status, error?.param]).toEqual([400, 'max_credits']);
    expect(error?.message).toMatch(/^x-svc-max-credits: must be a number of credits above 0/);
  },
);
