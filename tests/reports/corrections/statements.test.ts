import { beforeAll, expect, test } from 'vitest';
import { creditsToJson, microcredits } from '@/server/base/credits';
import { buildWidget } from '../../../scripts/steps.mjs';
import { newDatabase } from '../../harness';
import { correct } from '../../ledger/correct';
import { closeBothDays, DAYS, download, moveTo, startStatementWorld } from '../statements/statement-world';

/** A correction in the signed statement of the day on which it was booked, and what the verifier makes of it. */

await newDatabase();
const world = await startStatementWorld();
const user = await world.newUser();
const [first, second] = DAYS;
const [[echo = ''], [later = '']] = user.requests;

beforeAll(() => buildWidget(), 120_000);

test('a correction is an entry of its own day, the receipt stays as it was signed, and the verifier finds a changed one', async () => {
  const batch = await correct(
    { requestId: echo, credits: microcredits(10n) },
    { requestId: later, credits: microcredits(5n) },
  );
  await moveTo(second, user.userId, `related_id = '${batch}'`);
  await closeBothDays();
  const [before, after] = [await download(user.userId, first), await download(user.userId, second)];
  expect(JSON.stringify(before)).not.toContain('correction');
  const entries = after.apps.flatMap((app) => app.entries).filter(({ type }) => type === 'correction');
  expect(entries).toEqual([
    {
      type: 'correction',
      id: expect.any(String),
      corrects: echo,
      created_at: expect.any(String),
      credits: 10,
    },
    {
      type: 'correction',
      id: expect.any(String),
      corrects: later,
      created_at: expect.any(String),
      credits: 5,
    },
  ]);
  const good = await world.verify([before, after]);
  expect([good.code, good.text]).toEqual([0, expect.stringContaining('Everything matches.')]);

  const statements = await world.readJson(user.userKey, '/v1/credits/statements');
  expect(statements.data[0]).toMatchObject({ day: second, other_credits: creditsToJson(15n) });
  // The receipt is still the one that was charged and signed.
  const { code, text } = await world.verify([
    await world.readJson(user.userKey, `/v1/credits/receipts/${echo}`),
  ]);
  expect([code, text]).toEqual([0, expect.stringContaining('contains it')]);

  const changed = JSON.parse(JSON.stringify(after).replace('"credits":10}', '"credits":20}'));
  const bad = await world.verify([before, changed]);
  expect(bad.code).toBe(1);
  expect(bad.text).toMatch(/FAILED {2}txn_\w+ is not as it was/);
});
