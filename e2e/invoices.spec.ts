import type { ChildProcess } from 'node:child_process';
import path from 'node:path';
import { type Browser, expect, type Page } from 'playwright/test';
import { readPdfText } from '../tests/harness/pdf-text';
import { expectGoodAppearance } from './fixtures/appearance';
import {
  chooseAmount,
  demoAddress,
  newEmail,
  openCheckout,
  payByCard,
  signIn,
  test,
} from './fixtures/checkout-walk';
import { signInTo } from './fixtures/dashboard';
import { end, OPERATOR_EMAIL, removeData, spawnServer, waitUntilReady } from './fixtures/server';

/** Invoices on an installation whose operator has set who sells. */

test.use({ locale: 'en-US', timezoneId: 'UTC' });
test.setTimeout(180_000);

const PORT = Number(process.env.E2E_PORT ?? 3999) + 41;
const SERVICE = `http://localhost:${PORT}`;
const DATA_DIR = path.resolve(import.meta.dirname, `../.data/e2e-invoices-${process.pid}`);
const SELLER = {
  SELLER_NAME: 'Example Software GmbH',
  SELLER_ADDRESS: 'Mariahilfer Straße 1, 1060 Wien, Österreich',
  SELLER_TAX_ID: 'ATU13585627',
};

let server: ChildProcess;
test.beforeAll(async () => {
  server = spawnServer({ port: PORT, dataDir: DATA_DIR, settings: SELLER });
  await waitUntilReady(server);
});
test.afterAll(async () => {
  await end(server);
  removeData(DATA_DIR);
});

async function readPdf(page: Page, address: string): Promise<string[]> {
  const response = await page.request.get(SERVICE + address);
  expect(response.status()).toBe(200);
  expect(response.headers()['content-type']).toBe('application/pdf');
  expect(response.headers()['cache-control']).toBe('no-store');
  return readPdfText(await response.body());
}

async function buy(page: Page): Promise<void> {
  await page.goto(`${SERVICE}/account/buy`);
  await page.getByRole('radio', { name: /\$10\b(?!0)/ }).check();
  await page.getByRole('button', { name: 'Pay $10' }).click();
  await page.locator('[autocomplete="cc-number"]').fill('4242 4242 4242 4242');
  await page.locator('[autocomplete="cc-exp"]').fill('12 / 34');
  await page.locator('[autocomplete="cc-csc"]').fill('123');
  await page.locator('[autocomplete="cc-name"]').fill('Ada Lovelace');
  await page.getByRole('button', { name: /^Pay/ }).click();
  await expect(page.getByText('1,000 credits added').last()).toBeVisible();
}

/** Checks every field, each of which says what it expects. */
async function enterDetails(page: Page): Promise<void> {
  const save = page.getByRole('button', { name: 'Save details' });
  await expectGoodAppearance(page, 'billing-empty');
  await save.click();
  await expect(page.getByText('Enter a name of at most 100 characters')).toBeVisible();
  await expect(page.getByLabel('Company or person')).toBeFocused();
  await page.getByLabel('Company or person').fill('Żółw Consulting Sp. z o.o.');
  await save.click();
  await expect(page.getByText('Enter one to 6 lines')).toBeVisible();
  await expect(page.getByLabel('Address')).toBeFocused();
  await page.getByLabel('Address').fill('Unter den Linden 1\n10117 Berlin');
  await save.click();
  await expect(page.getByText('Choose a country')).toBeVisible();
  await expect(page.getByLabel('Country')).toBeFocused();
  await page.getByLabel('Country').selectOption('Germany');
  await page.getByLabel('Tax ID').fill('DE136695977');
  await page.getByLabel('Your reference').fill('PO-4711');
  await save.click();
  await expect(page.getByText('Enter a valid tax ID of Germany, or none')).toBeVisible();
  await expectGoodAppearance(page, 'billing-error');
  await page.getByLabel('Tax ID').fill('de 136 695 976');
  await save.click();
  await expect(page.getByText('Billing details saved')).toBeVisible();
  await expect(page.getByRole('button', { name: 'Remove details' })).toBeVisible();
  await page.reload();
  await expect(page.getByLabel('Tax ID')).toHaveValue('DE136695976');
  await expect(page.getByLabel('Country')).toHaveValue('DE');
  await expectGoodAppearance(page, 'billing-filled');
}

async function signedIn(browser: Browser, email: string, place: string): Promise<Page> {
  const page = await (await browser.newContext({ locale: 'en-US' })).newPage();
  await signInTo(page, SERVICE, email, place);
  return page;
}

const link = (page: Page, name: RegExp) => page.getByRole('link', { name }).filter({ visible: true });
const addressOf = async (page: Page, name: RegExp) =>
  (await link(page, name).first().getAttribute('href')) ?? '';

test('a company enters its billing details, gets an invoice with its purchase, and a credit note with its refund @attack', async ({
  page,
  browser,
}) => {
  const email = newEmail();
  await signInTo(page, SERVICE, email, '/account/billing');
  await enterDetails(page);
  await buy(page);

  await page.goto(`${SERVICE}/account/purchases`);
  const invoice = await addressOf(page, /^Invoice INV-\d{4}-\d{6} \(PDF\)$/);
  await expectGoodAppearance(page, 'purchases-invoice');
  const [number = ''] = /INV-\d{4}-\d{6}/.exec(invoice) ?? [];
  expect(await readPdf(page, invoice)).toEqual(
    expect.arrayContaining([
      number,
      'Example Software GmbH',
      'Żółw Consulting Sp. z o.o.',
      'VAT ID: DE136695976',
      'PO-4711',
      '$10.00',
    ]),
  );
  await link(page, /^Receipt for/).click();
  await expect(page.getByRole('link', { name: `Invoice ${number} (PDF)` })).toHaveAttribute('href', invoice);
  await expectGoodAppearance(page, 'receipt-invoice');
  const inbox = `${SERVICE}/dev/mail/messages?to=${encodeURIComponent(email)}`;
  await expect
    .poll(async () => (await page.request.get(inbox)).text(), { timeout: 20_000 })
    .toMatch(/Your invoice:\\n\S+\/account\/receipts\/txn_\w+#invoice/);

  await test.step('nobody else can open it', async () => {
    const stranger = await signedIn(browser, newEmail(), '/account');
    for (const address of [invoice, invoice.replace('/account/', '/operator/')])
      expect((await stranger.request.get(SERVICE + address)).status()).toBe(404);
    await stranger.context().clearCookies();
    expect((await stranger.request.get(SERVICE + invoice)).status()).toBe(401);
    await stranger.context().close();
    const own = invoice.replace('/account/', '/operator/');
    expect((await page.request.get(SERVICE + own)).status()).toBe(404);
  });

  await test.step('the operator opens it and refunds a part', async () => {
    const operator = await signedIn(browser, OPERATOR_EMAIL, '/operator/users');
    await operator.getByLabel('E-mail').fill(email);
    await operator.getByRole('button', { name: 'Find user' }).click();
    expect(await readPdf(operator, await addressOf(operator, /^Invoice INV-/))).toContain(number);
    await operator
      .getByRole('button', { name: /^Refund/ })
      .first()
      .click();
    const dialog = operator.getByRole('dialog').filter({ has: operator.getByLabel('Reason') });
    await dialog.getByLabel('Reason').fill('as agreed by telephone');
    await dialog.getByLabel('Amount in USD').fill('4');
    await dialog.getByRole('button', { name: 'Refund', exact: true }).click();
    await expect(link(operator, /^Credit note CN-/)).toBeVisible();
    await expect(dialog).toBeHidden();
    await expectGoodAppearance(operator, 'operator-user-invoices');
    await operator.context().close();
  });

  await page.goto(`${SERVICE}/account/purchases`);
  const note = await addressOf(page, /^Credit note CN-\d{4}-\d{6} \(PDF\)$/);
  expect((await readPdf(page, note)).join('\n')).toMatch(
    new RegExp(`^Credit note\n[^]*${number} of[^]*\\$4\\.00`),
  );
  await expectGoodAppearance(page, 'purchases-credit-note');
  await link(page, /^Receipt for/).click();
  await expect(page.getByRole('link', { name: /^Credit note CN-/ })).toBeVisible();
  await expectGoodAppearance(page, 'receipt-credit-note');

  await test.step('the user spends a part, and refunds what is left in one confirmed step, with a credit note', async () => {
    await page.goto(`${SERVICE}/account/playground`);
    await page.getByLabel('Credits it can spend').fill('50');
    await page.getByRole('button', { name: 'Start' }).click();
    await page.getByLabel('Model').selectOption('sandbox/echo');
    await page.getByLabel('Message').fill('The sea');
    await page.getByRole('button', { name: 'Send' }).click();
    await expect(page.getByTestId('cost')).toContainText('credits');
    await page.goto(`${SERVICE}/account/purchases`);
    await expectGoodAppearance(page, 'purchases-refund');
    await page.getByRole('button', { name: 'Refund $5.99' }).click();
    await page.getByRole('alertdialog').getByRole('button', { name: 'Refund $5.99' }).click();
    await expect(page.getByText('Refunded to your payment method')).toBeVisible();
    await expect(link(page, /^Credit note CN-/)).toHaveCount(2);
    const last = await addressOf(page, /^Credit note CN-\d{4}-000002 \(PDF\)$/);
    expect((await readPdf(page, last)).join('\n')).toMatch(new RegExp(`${number} of[^]*\\$5\\.99`));
    await expect(page.getByText('Unused credits')).toBeHidden();
  });
});

test('after a purchase in an app, the checkout leads to the invoice, which is created on the receipt', async ({
  page,
}) => {
  const email = newEmail();
  await page.goto(demoAddress(SERVICE));
  const checkout = await openCheckout(page);
  await signIn(page, checkout, SERVICE, email);
  await chooseAmount(checkout, /\$10\b(?!0)/);
  await payByCard(checkout, '4242 4242 4242 4242');
  const offer = checkout.getByRole('link', { name: 'Get an invoice' });
  await expect(offer).toBeVisible();
  await expectGoodAppearance(checkout, 'success-invoice');
  const receipt = (await offer.getAttribute('href')) ?? '';
  expect(receipt).toMatch(/\/account\/receipts\/txn_\w+#invoice$/);

  await signInTo(page, SERVICE, email, new URL(receipt, SERVICE).pathname);
  await expectGoodAppearance(page, 'receipt-no-details');
  await page.getByRole('link', { name: 'Enter billing details for an invoice' }).click();
  await page.getByLabel('Company or person').fill('Ada Lovelace');
  await page.getByLabel('Address').fill('Ring 3\n1010 Wien');
  await page.getByLabel('Country').selectOption('Austria');
  await page.getByRole('button', { name: 'Save details' }).click();
  await expect(page.getByText('Billing details saved')).toBeVisible();
  await page.goto(SERVICE + new URL(receipt, SERVICE).pathname);
  await expectGoodAppearance(page, 'receipt-create');
  await page.getByRole('button', { name: 'Create invoice' }).click();
  const invoice = await addressOf(page, /^Invoice INV-/);
  expect(await readPdf(page, invoice)).toContain('Ada Lovelace');
});
