import { writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { expect, type Page } from 'playwright/test';
import { expectGoodAppearance } from './fixtures/appearance';
import { test } from './fixtures/checkout-walk';
import { signInTo } from './fixtures/dashboard';
import { runSql } from './fixtures/database';
import { signUpInNativeApp } from './fixtures/native-app';
import { OPERATOR_EMAIL, runCommand } from './fixtures/server';

/** A wrong price: proposed by a command, approved by an operator, and read by the user who gets credits back. */

test.use({ locale: 'en-US', timezoneId: 'UTC' });
test.describe.configure({ timeout: 240_000 });

const REASON = 'The provider lowered its price earlier than we did.';
const REQUESTS = 3;

test('an operator approves corrections, and the user reads why and for which requests', async ({
  page,
  service,
  browser,
}) => {
  const { userKey, keyId, email } = await signUpInNativeApp(page, service);
  await runSql(
    `SELECT ledger_deposit(user_id, partner_id, 'adjustment', 'grant_corrections', 'txn_corrections_e2e', 1000000000,
       1000000000, 'promotion_expense', 'for this test', interval '1 day') FROM user_key WHERE id = $1`,
    [keyId],
  );
  const requests: string[] = [];
  for (let n = 0; n < REQUESTS; n++) requests.push(await generate(service, userKey));
  const [request = ''] = requests;

  const operatorWindow = await browser.newContext({ locale: 'en-US', timezoneId: 'UTC' });
  const operator = await operatorWindow.newPage();
  await signInTo(operator, service, OPERATOR_EMAIL, '/operator/corrections');
  await expect(operator.getByText('No corrections yet')).toBeVisible();
  await expectGoodAppearance(operator, 'operator-corrections-none');

  const proposed = await proposeFor(service, userKey, request);
  const discarded = proposed.batch_id;
  await operator.goto(`${service}/operator/corrections/${discarded}`);
  await decide(operator, 'Discard', 'Discarded');
  await expect(operator.getByText('Discarded', { exact: true }).first()).toBeVisible();

  const { batch_id: batch } = await proposeFor(service, userKey, request);
  await operator.goto(`${service}/operator/corrections`);
  await expect(operator.getByText('To approve').filter({ visible: true })).toHaveCount(1);
  await expectGoodAppearance(operator, 'operator-corrections');
  await operator.getByRole('link', { name: REASON }).filter({ visible: true }).first().click();
  await expect(operator.getByRole('heading', { name: REASON, level: 1 })).toBeVisible();
  expect(operator.url()).toContain(batch);
  await expect(operator.getByRole('link', { name: /^Receipt for the request/ })).not.toHaveCount(0);
  await expectGoodAppearance(operator, 'operator-correction-to-approve');
  await operator.getByRole('button', { name: 'Approve', exact: true }).click();
  await expect(operator.getByRole('dialog')).toContainText('This cannot be undone');
  await expectGoodAppearance(operator, 'operator-correction-approving');
  await operator.keyboard.press('Escape');
  await expect(operator.getByRole('dialog')).toHaveCount(0);
  await decide(operator, 'Approve', 'Approved');
  await expect(async () => {
    await operator.reload();
    await expect(operator.getByText('Booked', { exact: true }).first()).toBeVisible({ timeout: 2_000 });
  }).toPass({ timeout: 60_000 });
  await expectGoodAppearance(operator, 'operator-correction-booked');
  await operator.goto(`${service}/operator/log`);
  await expect(operator.getByRole('row', { name: 'Approved corrections' }).first()).toContainText(
    'checked with the price list',
  );
  await operatorWindow.close();

  await page.goto(`${service}/account/activity`);
  const section = page.getByRole('region', { name: 'Corrections' });
  await expect(section).toContainText(`${REQUESTS} requests`);
  await expectGoodAppearance(page, 'activity-with-corrections');
  await section.getByRole('link', { name: REASON }).click();
  await expect(page.getByRole('heading', { name: /^Refund of/ })).toBeVisible();
  await expectGoodAppearance(page, 'correction');
  await page
    .getByRole('link', { name: /^Receipt for the request/ })
    .filter({ visible: true })
    .first()
    .click();
  await expect(page.getByRole('region', { name: 'Corrections' })).toContainText(REASON);
  await expectGoodAppearance(page, 'receipt-corrected');

  await expect(async () => {
    const response = await page.request.get(`${service}/dev/mail/messages?to=${encodeURIComponent(email)}`);
    const mails = (await response.json()) as { subject: string }[];
    expect(mails.filter(({ subject }) => subject.startsWith('We refunded'))).toHaveLength(1);
  }).toPass({ timeout: 60_000 });
  await page.goto(`${service}/account/activity/corrections/cor_none`);
  await expect(page.getByRole('heading', { name: /not found/i })).toBeVisible();
});

async function generate(service: string, userKey: string): Promise<string> {
  const response = await fetch(`${service}/v1/chat/completions`, {
    method: 'POST',
    headers: { authorization: `Bearer ${userKey}`, 'content-type': 'application/json' },
    body: JSON.stringify({ model: 'sandbox/story', messages: [{ role: 'user', content: 'The sea' }] }),
  });
  await response.text();
  return response.headers.get('x-request-id') ?? '';
}

/** At half of the price. */
async function proposeFor(service: string, userKey: string, request: string): Promise<{ batch_id: string }> {
  const headers = { authorization: `Bearer ${userKey}` };
  const receipt = await fetch(`${service}/v1/credits/receipts/${request}`, { headers });
  const { price_version: version, created_at: at } = (await receipt.json()) as Record<string, string>;
  const file = path.join(tmpdir(), `prices-${process.pid}.json`);
  writeFileSync(file, JSON.stringify({ input: '1', output: '4', cacheRead: '0.25' }));
  return runCommand([
    'corrections',
    'propose',
    '--price-version',
    version ?? '',
    '--prices',
    file,
    '--from',
    (at ?? '').slice(0, 10),
    '--reason',
    REASON,
  ]) as { batch_id: string };
}

async function decide(operator: Page, what: 'Approve' | 'Discard', says: string): Promise<void> {
  await operator.getByRole('button', { name: what, exact: true }).click();
  const dialog = operator.getByRole('dialog');
  await dialog.getByLabel('Reason').fill('checked with the price list');
  await dialog.getByRole('button', { name: what, exact: true }).click();
  await expect(operator.getByText(new RegExp(`^${says}`)).first()).toBeVisible();
}
