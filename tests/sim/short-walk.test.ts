import { expect, onTestFinished, test } from 'vitest';
import { newDatabase } from '../harness/database';
import { NO_PAUSES, walkLedger } from './ledger-walk';

Object.assign(process.env, NO_PAUSES);
await newDatabase();

test('requests, purchases, refunds, disputes, payouts and abandoned requests of 64 users agree with the model', {
  timeout: 120_000,
}, async ({ signal }) => {
  const walk = walkLedger({ seed: 13, operations: 3_000, onRound: () => signal.throwIfAborted() });
  // After a timeout it would go on in the database of the next file.
  onTestFinished(async () => void (await Promise.allSettled([walk])));
  const tally = await walk;
  expect(tally.violations).toEqual([]);
  for (const operation of [
    'refund',
    'refund by the user',
    'nothing to refund',
    'dispute won',
    'dispute lost',
    'disputed again',
    'abandoned',
    'purchase with a bonus',
    'payment with a code expired',
    'gift',
    'auto top-up',
    'payout',
    'payout below the minimum',
    'payout returned',
    'limit saved',
    'limit of a partner saved',
    'stopped and resumed',
    'request refused: limit_reached',
    'request held for less',
    'captured, above the hold',
  ])
    expect(tally.operations.get(operation) ?? 0, operation).toBeGreaterThan(0);
});
