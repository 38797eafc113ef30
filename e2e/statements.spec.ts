import { execFile } from 'node:child_process';
import { expect } from 'playwright/test';
import { PICTURES } from './fixtures/appearance';
import { test } from './fixtures/checkout-walk';
import { expectAccessibleLayout } from './fixtures/dashboard';
import { runSql } from './fixtures/database';
import { signUpInNativeApp } from './fixtures/native-app';

/** Without triggers, as only a superuser can. */
const forge = (statement: string) =>
  runSql(`BEGIN; SET LOCAL session_replication_role = 'replica'; ${statement}; COMMIT`);

test('a user downloads the statement of a day, verifies it, and sees a booking that was changed afterwards', async ({
  page,
  service,
}) => {
  test.setTimeout(240_000);
  const { userKey, keyId } = await signUpInNativeApp(page, service);
  const picture = async (name: string) => {
    if (PICTURES === undefined) return;
    await page.screenshot({ path: `${PICTURES}/${name}.png`, fullPage: true });
    const size = page.viewportSize();
    await page.setViewportSize({ width: 390, height: 800 });
    await page.screenshot({ path: `${PICTURES}/${name}-phone.png`, fullPage: true });
    await page.emulateMedia({ colorScheme: 'dark' });
    await page.screenshot({ path: `${PICTURES}/${name}-phone-dark.png`, fullPage: true });
    await page.emulateMedia({ colorScheme: 'light' });
    if (size) await page.setViewportSize(size);
  };

  await page.goto(`${service}/account/activity`);
  await page.getByRole('link', { name: 'Statements' }).click();
  await expect(page.getByText('No statements yet')).toBeVisible();
  await expectAccessibleLayout(page);
  await picture('statements-none');

  await runSql(
    `SELECT ledger_deposit(user_id, partner_id, 'adjustment', 'grant_statements', 'txn_statements_e2e', 1000000000,
       1000000000, 'promotion_expense', 'for this test', interval '1 day') FROM user_key WHERE id = $1`,
    [keyId],
  );
  const response = await fetch(`${service}/v1/chat/completions`, {
    method: 'POST',
    headers: { authorization: `Bearer ${userKey}`, 'content-type': 'application/json' },
    body: JSON.stringify({ model: 'sandbox/echo', messages: [{ role: 'user', content: 'The sea' }] }),
  });
  await response.text();
  const requestId = response.headers.get('x-request-id') ?? '';
  await page.goto(`${service}/account/activity/${requestId}`);
  await expect(page.getByText('It will contain this receipt')).toBeVisible();

  await forge("UPDATE model_price SET effective_at = '2000-01-01'");
  // Two days ago, which the background job then closes.
  await forge(
    `UPDATE ledger_transaction SET created_at = created_at - interval '2 days'
     WHERE user_id = (SELECT user_id FROM user_key WHERE id = '${keyId}')`,
  );
  await runSql("UPDATE watermark SET up_to = current_date - 2 WHERE name = 'statements'");
  await expect(async () => {
    await page.goto(`${service}/account/statements`);
    await expect(page.getByText('Unchanged').filter({ visible: true })).toBeVisible({ timeout: 2_000 });
  }).toPass({ timeout: 120_000 });
  await expectAccessibleLayout(page);
  await picture('statements');

  const downloaded = page.waitForEvent('download');
  await page
    .getByRole('link', { name: /^Download the statement of/ })
    .filter({ visible: true })
    .click();
  const file = await (await downloaded).path();
  expect(await verify(service, file)).toEqual([0, expect.stringContaining('Everything matches.')]);

  await page.goto(`${service}/account/activity/${requestId}`);
  await expect(page.getByText('contains this receipt, unchanged')).toBeVisible();
  await expectAccessibleLayout(page);
  await picture('receipt-proof');

  await forge(
    `UPDATE ledger_transaction SET output_tokens = output_tokens + 1 WHERE id = 'txn_${requestId.slice(4)}'`,
  );
  await page.reload();
  await expect(page.getByText('does not contain this receipt as it is now')).toBeVisible();
  await expectAccessibleLayout(page);
  await picture('receipt-proof-changed');
  await page.goto(`${service}/account/statements`);
  await expect(page.getByText('Changed', { exact: true }).filter({ visible: true })).toBeVisible();
  await expectAccessibleLayout(page);
  await picture('statements-changed');
  await forge(
    `UPDATE ledger_transaction SET output_tokens = output_tokens - 1 WHERE id = 'txn_${requestId.slice(4)}'`,
  );

  await page.goto(`${service}/account/statements?before=2001-01-01`);
  await expect(page.getByText('No earlier statements')).toBeVisible();
});

const verify = (service: string, file: string): Promise<[number, string]> =>
  new Promise((resolve) =>
    execFile(
      process.execPath,
      ['widget/loader/dist/verify.js', '--service', service, file],
      (error, stdout, stderr) => resolve([error === null ? 0 : 1, stdout + stderr]),
    ),
  );
