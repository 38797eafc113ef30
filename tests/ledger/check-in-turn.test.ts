import { expect, test } from 'vitest';
import { checkInTurn } from '@/server/ledger/check-in-turn';
import { takeSteps, withoutPause } from '@/server/ledger/steps';
import { newDatabase } from '../harness/database';

await newDatabase();

const step = takeSteps(withoutPause, 0);

/** 100 users who are checked quickly, and then 12 who take 0.1 seconds each. */
const QUICK_THEN_SLOW = {
  next: `SELECT to_char(n, 'FM000') AS id FROM generate_series(coalesce(nullif($1, ''), '0')::int + 1, 112) n LIMIT $2`,
  invariants: [
    `SELECT 'checked' AS invariant, id AS subject, (SELECT count(*) FROM unnest($1) other WHERE other > '100') AS difference
     FROM unnest($1::text[]) id WHERE id <= '100' OR pg_sleep(0.1) IS NOT NULL`,
  ],
};

test('a snapshot that becomes too long is repeated with fewer users, until each of them is checked once', async () => {
  const { differences, scannedTo } = await checkInTurn(step, QUICK_THEN_SLOW);
  const found = differences.map(
    (difference) => /^checked: (?<id>\d+) differs by (?<slow>\d+)$/.exec(difference)?.groups,
  );
  expect(found.map((each) => each?.id)).toEqual(
    Array.from({ length: 112 }, (_, n) => String(n + 1).padStart(3, '0')),
  );
  // Ten slow ones take a second.
  expect(Math.max(...found.map((each) => Number(each?.slow)))).toBeLessThanOrEqual(10);
  expect(scannedTo).toBe('');
});

test('one user alone takes as long as it needs', async () => {
  const next = `SELECT 'usr_1' AS id WHERE $1 = '' LIMIT $2`;
  const slow =
    "SELECT 'checked' AS invariant, id AS subject, NULL AS difference FROM unnest($1::text[]) id, pg_sleep(1.5)";
  const { differences } = await checkInTurn(step, { next, invariants: [slow] });
  expect(differences).toEqual(['checked: usr_1 does not']);
});
