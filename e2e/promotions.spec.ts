import { expect, type Page } from 'playwright/test';
import { expectGoodAppearance } from './fixtures/appearance';
import {
  chooseAmount,
  demoAddress,
  newEmail,
  openCheckout,
  payByCard,
  readCode,
  signIn,
  test,
} from './fixtures/checkout-walk';
import { expectAccessibleLayout, signInTo } from './fixtures/dashboard';
import { OPERATOR_EMAIL, runCommand } from './fixtures/server';

test.use({ locale: 'en-US', timezoneId: 'UTC' });
test.describe.configure({ timeout: 120_000 });

const CODE = `WELCOME${Date.now() % 100_000}`;

async function signInToService(page: Page, service: string, email: string, path: string): Promise<void> {
  await page.goto(service + path);
  await page.getByLabel('E-mail').fill(email);
  await page.getByRole('button', { name: 'Send code' }).click();
  await page.getByLabel('Code').fill(await readCode(page, service, email));
}

test('a promotion code gives its bonus once, and is refused to the next buyer once it is used up', async ({
  page,
  browser,
  service,
}) => {
  runCommand(['promotions', 'create', '--code', CODE, '--percent', '20', '--limit', '1']);
  await page.goto(demoAddress(service));
  const checkout = await openCheckout(page);
  await signIn(page, checkout, service, newEmail());
  await checkout.getByRole('button', { name: 'Add promotion code' }).click();
  await checkout.getByLabel('Promotion code').fill('NOSUCHCODE');
  await checkout.getByRole('button', { name: 'Apply' }).click();
  await expect(checkout.getByText('This code isn’t valid. Check it')).toBeVisible();
  await expectGoodAppearance(page, 'promotion-refused');
  await checkout.getByLabel('Promotion code').fill(CODE.toLowerCase());
  await checkout.getByLabel('Promotion code').press('Enter');
  await expect(checkout.getByText('+200')).toBeVisible();
  await expectGoodAppearance(page, 'promotion-applied');

  // A buyer who goes back keeps the code, and may use it for another amount.
  await chooseAmount(checkout, /\$10\b(?!0)/);
  await checkout.getByRole('button', { name: 'Back' }).click();
  await expect(checkout.getByText('+200')).toBeVisible();
  await chooseAmount(checkout, /\$25\b/);
  await payByCard(checkout, '4242 4242 4242 4242');
  await expect(checkout.getByRole('heading', { name: '3,000 credits added' })).toBeVisible();

  const account = await browser.newPage();
  await signInToService(account, service, newEmail(), '/account/buy');
  await account.getByRole('button', { name: 'Add promotion code' }).click();
  await account.getByLabel('Promotion code').fill(CODE);
  await account.getByRole('button', { name: 'Apply' }).click();
  await expect(account.getByText('This code has been used up.')).toBeVisible();
  await expectAccessibleLayout(account);
  await expectGoodAppearance(account, 'promotion-account');
  await account.close();
});

test('an operator creates a gift, and a user redeems its link once', async ({ page, browser, service }) => {
  await signInTo(page, service, OPERATOR_EMAIL, '/operator/promotions');
  await page.getByRole('button', { name: 'New promotion' }).click();
  const dialog = page.getByRole('dialog');
  await dialog.getByLabel('Offer').selectOption('gift credits');
  await dialog.getByLabel('Bonus credits').fill('500');
  await dialog.getByLabel('Note for operators').fill('Conference');
  await dialog.getByLabel('Reason').fill('autumn');
  await expectGoodAppearance(page, 'promotion-new');
  await dialog.getByRole('button', { name: 'Create promotion' }).click();
  await expect(page.getByText('Conference').first()).toBeVisible();
  await page.getByRole('button', { name: 'Create links' }).first().click();
  await dialog.getByLabel('Number of links').fill('2');
  await dialog.getByLabel('Reason').fill('autumn');
  await dialog.getByRole('button', { name: 'Create links' }).click();
  const [link = ''] = (await dialog.getByLabel('Gift links').inputValue()).split('\n');
  await dialog.getByRole('button', { name: 'Done' }).click();

  const user = await browser.newPage();
  await signInToService(user, service, newEmail(), new URL(link).pathname);
  await expect(user.getByRole('heading', { name: 'A gift for you: 500 bonus credits' })).toBeVisible();
  await expectGoodAppearance(user, 'gift');
  await user.getByRole('button', { name: 'Accept 500 credits' }).click();
  await expect(user.getByRole('heading', { name: '500 bonus credits added' })).toBeVisible();
  await user.reload();
  await expect(user.getByText('You’ve already used this code.')).toBeVisible();
  await expectGoodAppearance(user, 'gift-used');
  await user.goto(`${service}/account`);
  await expect(user.getByText('500 credits').first()).toBeVisible();
  await user.close();

  await page.reload();
  await expect(page.getByText('1 / ∞').first()).toBeVisible();
  await expectAccessibleLayout(page);
  await expectGoodAppearance(page, 'promotion-list');
});
