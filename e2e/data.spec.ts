import { readFile } from 'node:fs/promises';
import { expect, type Page } from 'playwright/test';
import { PICTURES } from './fixtures/appearance';
import { readCode, test } from './fixtures/checkout-walk';
import { expectAccessibleLayout } from './fixtures/dashboard';
import { runSql } from './fixtures/database';
import { type NewUser, signUpInNativeApp } from './fixtures/native-app';

async function takePicture(page: Page, name: string): Promise<void> {
  if (PICTURES === undefined) return;
  const size = page.viewportSize();
  for (const [look, width] of [
    ['desktop', 1280],
    ['phone', 390],
  ] as const) {
    await page.setViewportSize({ width, height: 900 });
    for (const colorScheme of ['light', 'dark'] as const) {
      await page.emulateMedia({ colorScheme });
      await page.screenshot({ path: `${PICTURES}/${name}-${look}-${colorScheme}.png`, fullPage: true });
    }
  }
  await page.emulateMedia({ colorScheme: 'light' });
  if (size) await page.setViewportSize(size);
}

/** Sends a request in the demo app. Returns its id. */
async function generate(service: string, { userKey }: NewUser, model: string): Promise<string> {
  const response = await fetch(`${service}/v1/chat/completions`, {
    method: 'POST',
    headers: { authorization: `Bearer ${userKey}`, 'content-type': 'application/json' },
    body: JSON.stringify({
      model,
      max_tokens: 20,
      messages: [{ role: 'user', content: 'A secret of the sea' }],
    }),
  });
  await response.text();
  return response.headers.get('x-request-id') ?? '';
}

const attempts = (...steps: [string, string][]) =>
  JSON.stringify(
    steps.map(([provider, outcome], at) => ({
      provider,
      model: `${provider}/some-model`,
      at: `2026-11-20T10:00:0${at}.000Z`,
      outcome,
    })),
  );

test('a user sees which providers their requests were sent to, and downloads everything after a confirmation', async ({
  page,
  service,
}) => {
  test.setTimeout(180_000);
  const user = await signUpInNativeApp(page, service);
  await page.goto(`${service}/account`);
  await page.getByRole('link', { name: 'Your data' }).click();
  await expect(page.getByText('No requests yet')).toBeVisible();
  await expect(page.getByText('60 minutes after the last use')).toBeVisible();
  await expectAccessibleLayout(page);
  await takePicture(page, 'data-none');

  await runSql(
    `SELECT ledger_deposit(user_id, partner_id, 'adjustment', 'grant_data', 'txn_data_e2e', 1000000000, 1000000000,
       'promotion_expense', 'for this test', interval '1 day') FROM user_key WHERE id = $1`,
    [user.keyId],
  );
  const plain = await generate(service, user, 'sandbox/echo');
  const fallback = await generate(service, user, 'sandbox/echo');
  const failed = await generate(service, user, 'sandbox/error-500');
  await runSql(
    `BEGIN; SET LOCAL session_replication_role = 'replica';
     UPDATE ledger_transaction SET provider = 'openrouter',
       attempts = '${attempts(['openai', 'failed'], ['deepseek', 'no_response'], ['openrouter', 'responded'])}'
     WHERE id = 'txn_${fallback.slice(4)}'; COMMIT`,
  );

  await page.goto(`${service}/account/activity/${plain}`);
  await expect(page.getByText('Sent to', { exact: true })).toBeVisible();
  await page.goto(`${service}/account/activity/${fallback}`);
  await expect(page.getByRole('heading', { name: 'Sent to' })).toBeVisible();
  await expect(page.getByText('Returned an error')).toBeVisible();
  await expectAccessibleLayout(page);
  await takePicture(page, 'data-receipt');

  await expect(async () => {
    await page.goto(`${service}/account/data`);
    await expect(page.getByRole('heading', { name: 'Requests without a response' })).toBeVisible({
      timeout: 2_000,
    });
  }).toPass({ timeout: 60_000 });
  for (const name of ['sandbox', 'openai', 'openrouter', 'deepseek'])
    await expect(page.getByText(name, { exact: true }).filter({ visible: true }).first()).toBeVisible();
  await expect(page.getByText('Stored in China').filter({ visible: true })).toBeVisible();
  await expectAccessibleLayout(page);
  await takePicture(page, 'data');

  // A confirmation of an hour ago is too old.
  await runSql(
    `UPDATE session SET confirmed_at = now() - interval '1 hour'
     WHERE user_id = (SELECT user_id FROM user_key WHERE id = $1)`,
    [user.keyId],
  );
  const [address] = [`${service}/account/data/export`];
  expect((await page.request.get(address)).status()).toBe(403);
  await page.getByRole('button', { name: 'Download my data' }).click();
  const downloaded = page.waitForEvent('download');
  await page.getByLabel('Code').fill(await readCode(page, service, user.email));
  const text = await readFile(await (await downloaded).path(), 'utf8');
  const file = JSON.parse(text);
  expect(file).toMatchObject({
    format: 'svc account export',
    complete: true,
    account: { email: user.email },
  });
  const ids = file.transactions.map(({ id }: { id: string }) => id.slice(4));
  expect(ids).toEqual(expect.arrayContaining([plain.slice(4), fallback.slice(4)]));
  expect(file.unanswered_requests.map(({ request_id }: { request_id: string }) => request_id)).toEqual([
    failed,
  ]);
  expect(text).not.toContain('A secret of the sea');
  expect(text).not.toContain(user.userKey);
});

test('nobody downloads anything without signing in', async ({ request, service }) => {
  expect((await request.get(`${service}/account/data/export`)).status()).toBe(401);
});
