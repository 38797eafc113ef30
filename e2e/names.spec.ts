import path from 'node:path';
import { expect, type Page } from 'playwright/test';
import { serveAppPage } from './fixtures/app-page';
import { PICTURES } from './fixtures/appearance';
import { newEmail, openCheckout, test } from './fixtures/checkout-walk';
import { expectAccessibleLayout, signInTo } from './fixtures/dashboard';
import { runSql } from './fixtures/database';
import { OPERATOR_EMAIL } from './fixtures/server';

/** An app's name from its registration to its approval, as its owner, its users and an operator see it. */

test.describe.configure({ timeout: 120_000 });

async function expectGood(page: Page, picture: string): Promise<void> {
  await expectAccessibleLayout(page);
  if (PICTURES === undefined) return;
  await page.screenshot({ path: path.join(PICTURES, `${picture}.png`), fullPage: true });
  await page.emulateMedia({ colorScheme: 'dark' });
  await page.setViewportSize({ width: 375, height: 800 });
  await page.screenshot({ path: path.join(PICTURES, `${picture}-phone-dark.png`), fullPage: true });
  await page.emulateMedia({ colorScheme: 'light' });
  await page.setViewportSize({ width: 1280, height: 900 });
}

test('a name is refused with a reason, shown with its origin until an operator approves it, and renamed after a review @attack', async ({
  page,
  service,
  browser,
}) => {
  await signInTo(page, service, newEmail(), '/partner/new');
  const name = page.getByLabel('Name', { exact: true });
  // What an agent proposes is filled in, and judged like typed text.
  await page.goto(`${service}/partner/new?name=evil.example&percent=12.5&origin=https%3A%2F%2Fapp.example`);
  await expect(name).toHaveValue('evil.example');
  await expect(page.getByLabel('Commission')).toHaveValue('12.5');
  await expect(page.getByLabel('Origin of your site')).toHaveValue('https://app.example');
  await page.goto(`${service}/partner/new`);
  const create = page.getByRole('button', { name: 'Create app' });
  // What is typed before the page is interactive is lost.
  await expect(async () => {
    await create.click();
    await expect(page.getByText('Enter a name for the app')).toBeVisible({ timeout: 1_000 });
  }).toPass();
  for (const [text, reason] of [
    ['evil.example', 'Names cannot contain web addresses: change "evil.example"'],
    ['svc Billing', 'Leave out "svc", the name of this service'],
    ['Dеmo', 'Write "Dеmo" in the letters of one script in common use'],
  ] as const) {
    await name.fill(text);
    await create.click();
    await expect(page.getByText(reason)).toBeVisible();
  }
  await expectGood(page, 'new-app-refused');
  await name.fill('Quiet Harbour');
  await create.click();
  await expect(page.getByText('0 of 5 done')).toBeVisible();
  const snippet = await page.getByText(/publishableKey: 'svc_pk_\w+'/).textContent();
  const [publishableKey] = /svc_pk_\w+/.exec(snippet ?? '') ?? [];
  const id = new URL(page.url()).pathname.split('/').at(-1) ?? '';
  await page.getByRole('link', { name: 'Settings', exact: true }).click();
  await expect(page.getByText('Your name has not been approved yet')).toBeVisible();
  await expectGood(page, 'settings-unapproved');

  const app = await serveAppPage(service, { publishableKey });
  const customer = await browser.newPage();
  await customer.goto(app.url);
  const checkout = await openCheckout(customer);
  await expect(checkout.getByText(`Quiet Harbour (${new URL(app.url).host})`).first()).toBeVisible();
  if (PICTURES) await customer.screenshot({ path: path.join(PICTURES, 'checkout-unapproved.png') });
  await customer.close();
  await app.close();

  const desk = await browser.newPage({ viewport: { width: 1280, height: 900 } });
  await signInTo(desk, service, OPERATOR_EMAIL, '/operator');
  await expect(desk.getByText('model provider, payments, mail')).toBeVisible();
  await expectGood(desk, 'operator-overview');
  await desk.goto(`${service}/operator/apps`);
  await expect(desk.getByText('Name to approve').first()).toBeVisible();
  await expectGood(desk, 'operator-apps');
  await desk.goto(`${service}/operator/apps/${id}`);
  await expectGood(desk, 'operator-unapproved');
  await decide(desk, 'Approve name', 'Name approved');
  await expect(desk.getByRole('heading', { name: 'Name' })).toHaveCount(0);
  await page.reload();
  await expect(page.getByText('Your name has not been approved yet')).toHaveCount(0);

  // As where operators review apps; this installation has open sign-up.
  await runSql(`UPDATE partner SET pending_name = 'Loud Harbour' WHERE id = $1`, [id]);
  await page.reload();
  await expect(page.getByText('The new name Loud Harbour is waiting for approval.')).toBeVisible();
  await expectGood(page, 'settings-waiting');
  await desk.reload();
  await expect(desk.getByText('The owner asks to rename the app to Loud Harbour.')).toBeVisible();
  await expectGood(desk, 'operator-rename');
  await decide(desk, 'Approve name', 'Name approved');
  await expect(desk.getByRole('heading', { name: 'Loud Harbour', level: 1 })).toBeVisible();
  await desk.close();
});

async function decide(desk: Page, button: string, done: string): Promise<void> {
  await desk.getByRole('button', { name: button }).click();
  const dialog = desk.getByRole('dialog', { name: new RegExp(`^${button} `.replace(' name', ' the name')) });
  await dialog.getByLabel('Reason').fill('known to us');
  await dialog.getByRole('button', { name: button }).click();
  await expect(desk.getByText(done).first()).toBeVisible();
}
