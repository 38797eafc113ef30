import { expect, test } from 'vitest';
import { now, SECOND_MS, setClock } from '@/server/base/clock';
import { pool, prisma } from '@/server/base/db';
import { endBackgroundReads } from '@/server/gateway/run/background-reads';
import { cutOffRunning } from '@/server/gateway/run/cut-off';
import { checkLedger, sweepHolds } from '@/server/ledger';
import { seededRandom } from '../../harness/random';
import { chargeOf, openHonestWorld } from './honest-world';
import { Generator } from './random-requests';

/** However a request ends, what its provider billed is charged or recorded as a loss. */

const { upstream, send } = await openHonestWorld();

const CASES = Number(process.env.CASES ?? 80);

const OUT_OF_TIME = 'the instance stops, and its time is up';
/** Each happens once the provider works, while it waits before its usage. */
const ENDINGS = {
  'the instance stops': () => void cutOffRunning(),
  [OUT_OF_TIME]: () => {
    cutOffRunning();
    // No model writes faster than the estimate assumes, but this provider writes at once.
    const laterMs = now() + 10 * SECOND_MS;
    setClock(() => laterMs);
    endBackgroundReads();
  },
  'another instance takes this one for dead': async () => {
    await pool().query("UPDATE hold SET lease_until = clock_timestamp() - interval '1 second'");
    await sweepHolds([]);
  },
  nothing: () => {},
};

test('random requests that end in any way are charged what was billed, or the rest is a loss', {
  timeout: 240_000,
}, async () => {
  const random = seededRandom();
  const generator = new Generator(random, 500);
  const problems: string[] = [];
  const ended = new Map<string, number>();
  for (let n = 0; n < CASES; n++) {
    const endings = Object.entries(ENDINGS);
    const [ending, end] = endings[Math.floor(random() * endings.length)] ?? expect.fail();
    // This provider reasons with any model, and an estimate expects that only of those that can.
    const reasons = ending !== OUT_OF_TIME && random() < 0.4;
    upstream.behave({
      visibleTokens: 1 + Math.floor(random() * 100),
      reasoningTokens: reasons ? Math.floor(random() * 2_000) : 0,
      pauses: true,
    });
    await prisma().providerLoss.deleteMany();
    setClock();
    const { billed, receipt, bills } = await send(generator.request(), end);
    const lost = await prisma().providerLoss.aggregate({ _sum: { cost: true } });
    const cost = BigInt(receipt?.providerCost ?? 0n);
    // A cost in microcredits is rounded once.
    const counted = cost + (lost._sum.cost ?? 0n) + 1n;
    // Without a report, visible output is counted by its bytes.
    const least = receipt?.estimated ? (billed * 8n) / 10n : billed;
    if (counted * 1_000_000n < least)
      problems.push(`${ending}: billed ${billed}, of which ${counted} are counted`);
    if (receipt !== null && !receipt.estimated && receipt.charge !== chargeOf(billed))
      problems.push(`${ending}: charged ${receipt.charge} for a bill of ${chargeOf(billed)}`);
    if (receipt !== null && receipt.charge > receipt.held) problems.push(`${ending}: charged above the hold`);
    if (bills.length > 0) ended.set(ending, (ended.get(ending) ?? 0) + 1);
  }
  expect(problems).toEqual([]);
  expect([...ended.keys()].sort()).toEqual(Object.keys(ENDINGS).sort());
  expect((await checkLedger()).differences).toEqual([]);
});
