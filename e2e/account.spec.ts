import { expect, type Page } from 'playwright/test';
import { expectAccessible, expectAccessibleInLightAndDark } from './fixtures/accessibility';
import { demoAddress, newEmail, openCheckout, readCode, test } from './fixtures/checkout-walk';
import { ageSignIns, confirmPresence } from './fixtures/sign-ins';

test.use({ locale: 'en-US', timezoneId: 'UTC' });

/** Codes to one address are sent at least some seconds apart. */
const NEXT_CODE_MS = 20_000;

async function signInToAccount(page: Page, service: string, email: string): Promise<void> {
  await page.goto(`${service}/account`);
  await page.getByLabel('E-mail').fill(email);
  await page.getByRole('button', { name: 'Send code' }).click();
  await page.getByLabel('Code').fill(await readCode(page, service, email));
  await expect(page.getByRole('heading', { name: 'Overview' })).toBeVisible();
}

/** Checks the page in light, in dark and on a phone. */
async function expectAccessiblePage(page: Page): Promise<void> {
  await expectAccessibleInLightAndDark(page);
  const wide = page.viewportSize() ?? { width: 1280, height: 720 };
  await page.setViewportSize({ width: 375, height: 812 });
  expect(
    await page.evaluate(() => document.documentElement.scrollWidth - window.innerWidth),
  ).toBeLessThanOrEqual(0);
  await page.setViewportSize(wide);
}

const openPage = (page: Page, name: string) =>
  page.getByRole('navigation', { name: 'Dashboard' }).getByRole('link', { name, exact: true }).click();

const cell = (page: Page, row: string | RegExp, text: string | RegExp) =>
  page.getByRole('row', { name: row }).getByText(text).filter({ visible: true });

test('a user buys credits, allows an app, spends, reads receipts, revokes keys and deletes the account', async ({
  page,
  service,
  context,
}) => {
  test.setTimeout(240_000);
  const email = newEmail();
  await signInToAccount(page, service, email);
  await expect(page.getByText('No credits yet')).toBeVisible();
  await expectAccessiblePage(page);

  await test.step('buys on the account’s own pages with the sandbox card', async () => {
    await page.getByRole('link', { name: 'Buy credits' }).first().click();
    await expect(page.getByRole('heading', { name: 'Buy credits', level: 1 })).toBeVisible();
    await expectAccessiblePage(page);
    await page.getByRole('radio', { name: /Other/ }).check();
    await page.getByLabel('Other amount').fill('3');
    await page.getByRole('button', { name: 'Continue to payment' }).click();
    await expect(page.getByText('Enter an amount from $5 to $500.')).toBeVisible();
    await page.getByRole('radio', { name: /\$10\b(?!0)/ }).check();
    await page.getByRole('button', { name: 'Pay $10' }).click();
    await page.locator('[autocomplete="cc-number"]').fill('4242 4242 4242 4242');
    await page.locator('[autocomplete="cc-exp"]').fill('12 / 34');
    await page.locator('[autocomplete="cc-csc"]').fill('123');
    await page.locator('[autocomplete="cc-name"]').fill('Ada Lovelace');
    await page.getByRole('button', { name: /^Pay/ }).click();
    await expect(page.getByText('1,000 credits added').last()).toBeVisible();
    await expectAccessiblePage(page);
    await page.getByRole('link', { name: 'Overview' }).last().click();
    await expect(page.getByText('1,000 credits').first()).toBeVisible();
  });

  await test.step('finds every page in order while the account is empty', async () => {
    for (const name of ['Activity', 'Apps', 'Devices', 'Settings']) {
      await openPage(page, name);
      await expect(page.getByRole('heading', { name, level: 1 })).toBeVisible();
      await expectAccessiblePage(page);
    }
    await openPage(page, 'Billing');
    const tabs = page.getByRole('navigation', { name: 'Billing' });
    for (const name of ['Payment', 'Invoices', 'Statements', 'Purchases']) {
      await tabs.getByRole('link', { name }).click();
      await expect(page.getByRole('heading', { name, level: 1 })).toBeVisible();
      await expect(tabs.getByRole('link', { name })).toHaveAttribute('aria-current', 'page');
      await expectAccessiblePage(page);
    }
    await expect(page.getByRole('row', { name: /1,000\.00 \$10\.00 Paid/ })).toBeVisible();
  });

  const demo = await context.newPage();
  await test.step('signs in to an app', async () => {
    await demo.goto(demoAddress(service));
    const checkout = await openCheckout(demo);
    await checkout.getByLabel('E-mail').fill(email);
    const code = checkout.getByLabel('Code');
    // Whatever a click has shown late is there before the next one.
    await expect(async () => {
      if (!(await code.isVisible()))
        await checkout.getByRole('button', { name: 'Send code' }).click({ timeout: 1_500 });
      await expect(code).toBeVisible({ timeout: 1_500 });
    }).toPass({ timeout: NEXT_CODE_MS, intervals: [3_000] });
    const first = await readCode(demo, service, email);
    await code.fill(first);
    await expect(demo.getByTestId('user-key')).toHaveText(/^svc_sk_/);
  });

  await test.step('allows it to spend, pauses and resumes the allowance', async () => {
    // Browsers rarely render background tabs.
    await page.bringToFront();
    await openPage(page, 'Apps');
    await expect(cell(page, /Demo/, 'Not allowed')).toBeVisible();
    await page.getByRole('link', { name: /Demo/ }).click();
    await expect(page.getByText('this app has no allowance to spend them')).toBeVisible();
    await page.getByLabel('Credits it can spend from now on').fill('a few');
    await page.getByRole('button', { name: /^Save allowance/ }).click();
    await expect(page.getByText('Enter a number of credits above zero')).toBeVisible();
    await page.getByLabel('Credits it can spend from now on').fill('300');
    await ageSignIns(email);
    await page.getByRole('button', { name: /^Save allowance/ }).click();
    await confirmPresence(page, service, email);
    await expect(page.getByText('of 300 credits allowed')).toBeVisible();
    await expectAccessiblePage(page);
    await page.getByRole('button', { name: 'Pause' }).click();
    await expect(page.getByText('You paused this app’s allowance.')).toBeVisible();
    await expectAccessiblePage(page);
    await page.getByRole('button', { name: 'Resume' }).click();
    await expect(page.getByText('of 300 credits allowed')).toBeVisible();
  });

  await test.step('spends in the app, and reads the receipt', async () => {
    await demo.bringToFront();
    await demo.reload();
    await demo.getByLabel('Your prompt').fill('Tell me a short story');
    await demo.getByRole('button', { name: 'Send' }).click();
    await expect(demo.getByTestId('cost')).toContainText(/cost \d/, { timeout: 60_000 });
    await page.bringToFront();
    await openPage(page, 'Activity');
    await expect(page.getByRole('link', { name: /^Receipt for the request/ })).toBeVisible();
    await expectAccessiblePage(page);
    const download = page.waitForEvent('download');
    await page.getByRole('link', { name: 'Export CSV' }).click();
    const csv = await (await download).createReadStream();
    let text = '';
    for await (const part of csv) text += String(part);
    expect(text).toMatch(/^\uFEFFtime,request_id,app,model,/);
    expect(text.trim().split('\r\n')).toHaveLength(2);
    await page.getByRole('link', { name: /^Receipt for the request/ }).click();
    await expect(page.getByText('From credits outside any app')).toBeVisible();
    await page.getByRole('button', { name: 'Verify' }).click();
    await expect(page.getByText('Verified in your browser')).toBeVisible();
    await expectAccessiblePage(page);
  });

  await test.step('revokes the key and signs out the app’s device', async () => {
    await openPage(page, 'Apps');
    await page.getByRole('link', { name: /Demo/ }).click();
    await page.getByRole('button', { name: /^Revoke: key ending in/ }).click();
    await page.getByRole('alertdialog').getByRole('button', { name: 'Revoke' }).click();
    await expect(page.getByText('No active keys')).toBeVisible();
    await page.getByRole('button', { name: 'Remove allowance' }).click();
    await page.getByRole('alertdialog').getByRole('button', { name: 'Remove allowance' }).click();
    await expect(page.getByText('this app has no allowance to spend them')).toBeVisible();
    await openPage(page, 'Devices');
    await expect(page.getByRole('listitem').filter({ hasText: 'Chrome on' })).toHaveCount(2);
    await page.getByRole('button', { name: 'Sign out all others' }).click();
    await expectAccessible(page);
    await page.getByRole('alertdialog').getByRole('button', { name: 'Sign out all others' }).click();
    await expect(page.getByRole('listitem').filter({ hasText: 'Chrome on' })).toHaveCount(1);
  });

  await test.step('deletes the account after being shown what will be lost', async () => {
    await openPage(page, 'Settings');
    await page.getByRole('button', { name: 'Delete my account' }).click();
    const dialog = page.getByRole('dialog');
    await expect(dialog.getByText(/You will lose 9\d\d(\.\d+)? credits/)).toBeVisible();
    await expectAccessible(page);
    await expect(dialog.getByRole('button', { name: 'Permanently delete my account' })).toBeDisabled();
    await dialog.getByLabel(/^Type/).fill(email);
    await ageSignIns(email);
    await dialog.getByRole('button', { name: 'Permanently delete my account' }).click();
    await confirmPresence(page, service, email);
    await expect(page).toHaveURL(`${service}/`);
    await page.goto(`${service}/account`);
    await expect(page).toHaveURL(/\/sign-in\?/);
  });
});

test('a page is requested only when its link is followed; while it loads, a bar shows it and its title is announced', async ({
  page,
  service,
}) => {
  const ahead: string[] = [];
  page.on('request', (request) => {
    if (request.headers()['next-router-prefetch'] !== undefined) ahead.push(request.url());
  });
  await signInToAccount(page, service, newEmail());
  const titles = await page.evaluateHandle(() => {
    const pageTitles: string[] = [];
    new MutationObserver(() => pageTitles.push(document.title)).observe(document.head, { childList: true });
    return pageTitles;
  });
  const line = page.getByTestId('on-the-way');
  const openSlowly = async (name: string) => {
    let respond = () => {};
    const response = new Promise<void>((resolve) => {
      respond = resolve;
    });
    await page.route(`**/account/${name.toLowerCase()}**`, async (route) => {
      await response;
      await route.continue();
    });
    await openPage(page, name);
    await expect(line).toBeVisible();
    respond();
    await expect(page.getByRole('heading', { name, level: 1 })).toBeVisible();
    await expect(line).toBeHidden();
    await expect(page).toHaveTitle(`${name} · Account`);
    await expect(page.getByRole('alert')).toHaveText(`${name} · Account`);
    expect(await titles.jsonValue()).not.toContain('');
  };
  await openSlowly('Devices');

  // On a phone the link is in a menu, which stays open until the page has loaded.
  await page.setViewportSize({ width: 375, height: 812 });
  const menu = page.getByRole('button', { name: 'Open menu' });
  await menu.click();
  await openSlowly('Apps');
  await expect(page.getByRole('dialog')).toHaveCount(0);
  await expect(menu).toBeFocused();
  expect(ahead).toEqual([]);
});

test('an account cannot be read without its session', async ({ request, service }) => {
  for (const path of ['', '/activity', '/apps', '/devices', '/purchases', '/settings', '/buy']) {
    const response = await request.get(`${service}/account${path}`, { maxRedirects: 0 });
    expect(response.status(), path).toBe(307);
    expect(response.headers().location).toContain('/sign-in');
  }
  expect((await request.get(`${service}/account/activity/export`)).status()).toBe(401);
});
