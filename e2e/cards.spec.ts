import { expect, type Page } from 'playwright/test';
import { expectGoodAppearance } from './fixtures/appearance';
import { finishPopup, newEmail } from './fixtures/checkout-walk';
import { signInTo } from './fixtures/dashboard';
import {
  expectCallbacks,
  openOverlay,
  openWindow,
  type Partner,
  readCallbacks,
  signInAt,
  test,
} from './fixtures/partner-world';
import { BASE_URL } from './fixtures/server';
import { ageSignIns, confirmPresence } from './fixtures/sign-ins';

/** Saved cards in the account and in the checkout: added, chosen, charged in one click and removed. */

test.setTimeout(180_000);
test.use({ timezoneId: 'UTC' });

const PAYS = '4242 4242 4242 4242';
const ASKS_BANK = '4000 0027 6000 3184';
const DECLINES_ONCE_SAVED = '4000 0000 0000 0341';

/** Leaves our page for the processor's, enters the card there and returns. */
async function addCard(page: Page, number: string): Promise<void> {
  await page.goto(`${BASE_URL}/account/payment`);
  await page.getByRole('button', { name: 'Add card' }).click();
  await page.waitForURL(/\/pay\/cs_/);
  await expect(page.getByRole('heading', { name: 'Save card' })).toBeVisible();
  await expect(page.getByText(/[$€]|bank/i).filter({ visible: true })).toHaveCount(0);
  await fillCardForm(page, number, 'Save card');
  if (number === ASKS_BANK) await page.getByRole('button', { name: 'Complete authentication' }).click();
  await expect(page.getByText('Card saved.')).toBeVisible();
  await expect(page.getByText(`•••• ${number.slice(-4)}`).first()).toBeVisible();
}

async function fillCardForm(page: Page, number: string, submit: string | RegExp = /^Pay/): Promise<void> {
  await page.locator('[autocomplete="cc-number"]').fill(number);
  await page.locator('[autocomplete="cc-exp"]').fill('12 / 34');
  await page.locator('[autocomplete="cc-csc"]').fill('123');
  await page.locator('[autocomplete="cc-name"]').fill('Ada Lovelace');
  await page.getByRole('button', { name: submit }).click();
}

async function buyWithForm(page: Page): Promise<void> {
  await page.goto(`${BASE_URL}/account/buy`);
  await page.getByRole('radio', { name: /\$10\b(?!0)/ }).check();
  await page.getByRole('button', { name: 'Pay $10' }).click();
  await fillCardForm(page, PAYS);
  await expect(page.getByText('1,000 credits added').last()).toBeVisible();
}

/** Active once the user could see it for a second. */
const active = (page: Page, name: string) => page.getByRole('button', { name, exact: true, disabled: false });

async function buyAgain(page: Page): Promise<void> {
  await active(page, 'Buy again: $10 with Visa •••• 4242').click();
  await active(page, 'Pay $10').click();
}

const payOn = (page: Page, money: string, last4: string) =>
  active(page, `Pay ${money} with Visa •••• ${last4}`);

test('a card is added by clicking, pays any amount, with the bank’s page if it asks, and is removed', async ({
  page,
}) => {
  const email = newEmail();
  await signInTo(page, BASE_URL, email, '/account/payment');
  await expect(page.getByText('No saved cards')).toBeVisible();
  await expectGoodAppearance(page, 'payment-empty');
  await buyWithForm(page);
  await page.goto(`${BASE_URL}/account`);
  await expect(page.getByText('Overview').first()).toBeVisible();
  await expect(page.getByRole('button', { name: /^Buy again/ })).toHaveCount(0);
  await addCard(page, PAYS);
  await expectGoodAppearance(page, 'payment-card');

  await test.step('the overview asks before it buys again, and the outcome appears in place', async () => {
    await page.goto(`${BASE_URL}/account`);
    await active(page, 'Buy again: $10 with Visa •••• 4242').click();
    await expect(page.getByText('Pay $10 with Visa •••• 4242?')).toBeVisible();
    await expectGoodAppearance(page, 'buy-again');
    await page.getByRole('button', { name: 'Cancel' }).click();
    await buyAgain(page);
    await expect(page.getByText('1,000 credits added.')).toBeVisible();
    await expect(page.getByRole('link', { name: 'View receipt' })).toBeVisible();
    await expect(page.getByText('2,000').first()).toBeVisible();
    await expectGoodAppearance(page, 'buy-again-bought');
  });

  await test.step('with an old confirmation, the second purchase of the day asks for one', async () => {
    await ageSignIns(email);
    await buyAgain(page);
    await expect(page.getByText('3,000').first()).toBeVisible();
    await buyAgain(page);
    await confirmPresence(page, BASE_URL, email);
    await expect(page.getByText('4,000').first()).toBeVisible();
  });

  await test.step('the bank’s page is passed, and failed', async () => {
    await addCard(page, ASKS_BANK);
    await page.goto(`${BASE_URL}/account/buy`);
    await page.getByLabel('Card').selectOption({ label: 'Visa •••• 3184, 12/34' });
    await page.getByRole('radio', { name: 'Other' }).check();
    await page.getByRole('textbox', { name: 'Other amount' }).fill('12.50');
    await expectGoodAppearance(page, 'buy-two-cards');
    await payOn(page, '$12.50', '3184').click();
    await page.getByRole('button', { name: 'Complete authentication' }).click();
    await expect(page).toHaveURL(/\/account\/buy\/return\?session_id=cks_\w+$/);
    await expect(page.getByText('1,250 credits added').last()).toBeVisible();
    await page.goto(`${BASE_URL}/account/buy`);
    // The card used last is chosen.
    await payOn(page, '$10', '3184').click();
    await page.getByRole('button', { name: 'Fail authentication' }).click();
    await expect(page.getByText('Payment failed').last()).toBeVisible();
    await expect(page.getByText('Your bank asked for a confirmation that wasn’t completed.')).toBeVisible();
    await expectGoodAppearance(page, 'buy-not-confirmed');
  });

  await test.step('a declined card says what to do', async () => {
    await addCard(page, DECLINES_ONCE_SAVED);
    await page.goto(`${BASE_URL}/account/buy`);
    await page.getByLabel('Card').selectOption({ label: 'Visa •••• 0341, 12/34' });
    await payOn(page, '$10', '0341').click();
    await expect(page.getByText('Try another card. You were not charged.')).toBeVisible();
    await expect(page.getByRole('button', { name: 'Another payment method' })).toBeVisible();
    await expectGoodAppearance(page, 'buy-declined');
  });

  await test.step('a card is removed after a confirmation', async () => {
    await page.goto(`${BASE_URL}/account/payment`);
    await expectGoodAppearance(page, 'payment-cards');
    await ageSignIns(email);
    await page.getByRole('button', { name: 'Remove: Visa •••• 0341' }).click();
    await expectGoodAppearance(page, 'payment-remove');
    await page.getByRole('alertdialog').getByRole('button', { name: 'Remove' }).click();
    await confirmPresence(page, BASE_URL, email);
    await expect(page.getByText('•••• 0341')).toHaveCount(0);
    await expect(page.getByText('•••• 4242').first()).toBeVisible();
  });
});

/** Opens the checkout in a popup, where the browser's user is recognised. */
async function openPopup(page: Page, partner: Partner): Promise<Page> {
  await page.goto(partner.page({ options: { display: 'popup' } }));
  const popup = await openWindow(page);
  await expect(popup.getByRole('heading', { name: 'Buy credits' })).toBeVisible();
  return popup;
}

const pay = (popup: Page, last4: string) =>
  popup.getByRole('button', { name: `Pay $10 with Visa •••• ${last4}`, disabled: false });

test('a saved card is chosen in the popup, pays in one click, and is removed; a frame shows none @attack', async ({
  page,
  partner,
}) => {
  const email = newEmail();
  await signInTo(page, BASE_URL, email, '/account/payment');
  await addCard(page, DECLINES_ONCE_SAVED);
  await addCard(page, PAYS);
  const popup = await openPopup(page, partner);
  await expect(pay(popup, '4242')).toBeVisible();
  await expectGoodAppearance(popup, 'card-amount-en');

  await popup.getByLabel('Card').selectOption({ label: 'Visa •••• 0341, 12/34' });
  await pay(popup, '0341').click();
  await expect(popup.getByText('Your bank declined the payment.')).toBeVisible();
  await expectGoodAppearance(popup, 'card-declined-en');
  await popup.getByRole('button', { name: 'Choose an amount' }).click();

  await popup.getByLabel('Card').selectOption({ label: 'Visa •••• 0341, 12/34' });
  await popup.getByRole('button', { name: 'Remove: Visa •••• 0341' }).click();
  await expect(popup.getByText('Remove Visa •••• 0341?')).toBeVisible();
  await expectGoodAppearance(popup, 'card-remove-en');
  await popup.getByRole('button', { name: 'Remove', exact: true, disabled: false }).click();
  await expect(pay(popup, '4242')).toBeVisible();
  await expectGoodAppearance(popup, 'card-single-en');

  await pay(popup, '4242').click();
  await expect(popup.getByRole('heading', { name: '1,000 credits added' })).toBeVisible();
  await finishPopup(popup);
  await expectCallbacks(
    page,
    'onLoginCompleted',
    'onCheckoutOpened',
    'onPurchaseError',
    'onCheckoutOpened',
    'onCreditsAdded',
    'onComplete',
  );

  await page.evaluate(() => localStorage.clear());
  await page.goto(partner.page());
  const frame = await openOverlay(page);
  await signInAt(frame, page, email);
  await expect(frame.getByRole('button', { name: 'Continue with $10' })).toBeVisible();
  await expect(frame.getByText('4242')).toHaveCount(0);
});

test('the bank’s page opens in the popup and returns to our page, and the app gets the credits', async ({
  page,
  partner,
}) => {
  await signInTo(page, BASE_URL, newEmail(), '/account/payment');
  await addCard(page, ASKS_BANK);
  const popup = await openPopup(page, partner);
  await pay(popup, '3184').click();
  await popup.getByRole('button', { name: 'Complete authentication' }).click();
  await expect(popup.getByRole('heading', { name: '1,000 credits added' })).toBeVisible();
  expect(popup.url()).toMatch(/\/checkout\/return\?session_id=cks_\w+$/);
  await expect
    .poll(async () => (await readCallbacks(page)).map(([name]) => name))
    .toContain('onCreditsAdded');
});
