import fc from 'fast-check';
import { expect, test } from 'vitest';
import { chargeFor, type Picocredits } from '../../server/base/credits';
import { pool } from '../../server/base/db';
import { newDatabase } from '../harness/database';

await newDatabase();

test('the hold in SQL and the settlement in TypeScript compute the same charge', async () => {
  const samples = fc.sample(
    fc.tuple(fc.bigInt({ min: 0n, max: 10n ** 22n }), fc.integer({ min: 0, max: 10_000 })),
    2_000,
  );
  const { rows } = await pool().query<{ charge: bigint }>(
    'SELECT ledger_charge(exact, rate) AS charge FROM unnest($1::numeric[], $2::int[]) WITH ORDINALITY AS s (exact, rate, n) ORDER BY n',
    [samples.map(([exact]) => exact.toString()), samples.map(([, rateBp]) => rateBp)],
  );
  expect(rows.map((row) => row.charge)).toEqual(
    samples.map(([exact, rateBp]) => chargeFor(exact as Picocredits, rateBp).charge),
  );
});
