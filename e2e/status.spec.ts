import { expect, test } from 'playwright/test';
import { expectAccessibleInLightAndDark } from './fixtures/accessibility';
import { runSql } from './fixtures/database';

/** Longer than what was read is kept. */
const READ_AGAIN_MS = 60_000;

test('the status page shows what fails and for how long, to everyone', async ({ page }) => {
  test.slow();
  const part = 'provider:sandbox';
  const insert = 'INSERT INTO status_count (span, begins_at, part, is_ok, up_to_ms, count) SELECT';
  await runSql(
    // Far more than the requests of other tests in this hour, which may be in the same slot.
    `${insert} 'slot', date_trunc('hour', now()), $1, ok, CASE WHEN ok THEN 745 ELSE 0 END,
    CASE WHEN ok THEN 60000 ELSE 40000 END FROM (VALUES (true), (false)) AS v (ok)
    ON CONFLICT (span, begins_at, part, is_ok, up_to_ms) DO UPDATE SET count = excluded.count`,
    [part],
  );
  await runSql(
    `${insert} 'day', date_trunc('day', now() - n * interval '1 day', 'UTC'), $1, ok, 0,
    CASE WHEN ok THEN 1000 - n * n / 8 ELSE n * n / 8 + 1 END
    FROM generate_series(1, 40) n, (VALUES (true), (false)) AS v (ok) ON CONFLICT DO NOTHING`,
    [part],
  );
  await expect(async () => {
    await page.goto('/status');
    await expect(page.getByRole('status')).toContainText('Requests to these providers may fail: sandbox', {
      timeout: 1_000,
    });
  }).toPass({ timeout: READ_AGAIN_MS });
  const row = page
    .getByRole('listitem')
    .filter({ has: page.getByRole('heading', { name: 'sandbox', exact: true }) });
  await expect(row).toContainText('Failing');
  await expect(row).toContainText(/in the last hour, median 0\.\d+\u00a0s/);
  await expect(row.getByRole('img')).toHaveAccessibleName(/^sandbox, last 90 days: 9\d\.\d\d% on average$/);
  await expectAccessibleInLightAndDark(page);
});
