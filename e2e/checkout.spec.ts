import { expect, type Frame, type Page } from 'playwright/test';
import { expectAccessible } from './fixtures/accessibility';
import { type AppPage, serveAppPage } from './fixtures/app-page';
import {
  test as base,
  type CheckoutFrame,
  chooseAmount,
  confirmAllowance,
  finishPopup,
  newEmail,
  openCheckout,
  payByCard,
  readCode,
  signIn,
} from './fixtures/checkout-walk';
import { findProcessor, processorAt } from './fixtures/processor';
import { runCommand } from './fixtures/server';

/** Every outcome of a payment, in a real browser against the real processor's protocol. */

const test = base.extend<{ openApp: (options?: Record<string, unknown>) => Promise<AppPage> }>({
  openApp: async ({ page, service }, use) => {
    const apps: AppPage[] = [];
    await use(async (options) => {
      const app = await serveAppPage(service, options);
      apps.push(app);
      await page.goto(app.url);
      return app;
    });
    for (const app of apps) await app.close();
  },
});
test.use({ locale: 'en-US' });

/** Continues up to the open payment form. */
async function toPayment(page: Page, service: string, amount = /\$5\b/) {
  const checkout = await openCheckout(page);
  const email = newEmail();
  await signIn(page, checkout, service, email);
  await chooseAmount(checkout, amount);
  return { checkout, email, processor: await findProcessor(page, checkout) };
}

const form = (checkout: CheckoutFrame) => checkout.frameLocator('iframe');

async function payByBank(checkout: CheckoutFrame, account: RegExp): Promise<void> {
  await form(checkout).getByText('Bank debit', { exact: true }).click();
  await form(checkout).getByRole('button', { name: account }).click();
  await form(checkout).getByRole('button', { name: /^Pay/ }).click();
}

async function balanceOf(page: Page, service: string, app: AppPage): Promise<number> {
  const [, login] = (await app.received(page)).find(([name]) => name === 'onLoginCompleted') ?? ['', {}];
  const response = await page.request.get(`${service}/v1/credits/balance`, {
    headers: { authorization: `Bearer ${login.user_key}` },
  });
  return ((await response.json()) as { balance: number }).balance;
}

test('3-D Secure: a failed confirmation charges nothing, and a passed one pays', async ({
  page,
  service,
  openApp,
}) => {
  const app = await openApp();
  const { checkout } = await toPayment(page, service);
  await payByCard(checkout, '4000 0027 6000 3184');
  await form(checkout).getByRole('button', { name: 'Fail authentication' }).click();
  await expect(form(checkout).getByText('We could not authenticate your card')).toBeVisible();
  expect(await balanceOf(page, service, app)).toBe(0);
  await payByCard(checkout, '4000 0027 6000 3184');
  await form(checkout).getByRole('button', { name: 'Complete authentication' }).click();
  await expect(checkout.getByRole('heading', { name: '500 credits added' })).toBeVisible();
  expect((await app.received(page)).map(([name]) => name)).toEqual([
    'onLoginCompleted',
    'onCheckoutOpened',
    'onPurchaseError',
    'onCreditsAdded',
  ]);
});

test('when a bank decides later, the user need not wait, and the credits arrive when it agrees', async ({
  page,
  service,
  openApp,
}) => {
  const app = await openApp();
  const { checkout, processor } = await toPayment(page, service);
  await payByBank(checkout, /Succeeds after 3 minutes/);
  await expect(checkout.getByRole('heading', { name: 'Your bank is processing the payment' })).toBeVisible();
  expect(await balanceOf(page, service, app)).toBe(0);
  await processor.control({ advance_seconds: 181 });
  await processor.control({ reset_clock: true });
  await expect(checkout.getByRole('heading', { name: '500 credits added' })).toBeVisible();
  expect(await balanceOf(page, service, app)).toBe(500);
});

test('when a bank refuses later, the user is notified, nothing is credited, and another attempt pays', async ({
  page,
  service,
  openApp,
}) => {
  const app = await openApp();
  const { checkout } = await toPayment(page, service);
  await payByBank(checkout, /^Fails AT86/);
  await expect(checkout.getByRole('heading', { name: 'The payment didn’t go through' })).toBeVisible();
  expect(await balanceOf(page, service, app)).toBe(0);
  await checkout.getByRole('button', { name: 'Choose an amount' }).click();
  await chooseAmount(checkout, /\$5\b/);
  await payByCard(checkout, '4242 4242 4242 4242');
  await expect(checkout.getByRole('heading', { name: '500 credits added' })).toBeVisible();
});

test('a payment that is left open expires, both in the form and in the checkout', async ({
  page,
  service,
  openApp,
}) => {
  const app = await openApp();
  const { checkout, processor } = await toPayment(page, service);
  await processor.control({ advance_seconds: 32 * 60 });
  await processor.control({ reset_clock: true });
  await expect(checkout.getByRole('heading', { name: 'The payment has expired' })).toBeVisible();
  const [name, event] = (await app.received(page)).at(-1) ?? [];
  expect([name, event]).toMatchObject(['onPurchaseError', { error: { code: 'payment_expired' } }]);
});

test('two clicks on Pay make one payment', async ({ page, service, openApp }) => {
  const app = await openApp();
  const { checkout, processor } = await toPayment(page, service);
  const before = (await processor.events('checkout.session.completed')).length;
  const card = form(checkout);
  await card.getByRole('button', { name: 'Fill in test card' }).click();
  await card.getByRole('button', { name: /^Pay/ }).dblclick();
  await expect(checkout.getByRole('heading', { name: '500 credits added' })).toBeVisible();
  expect(await processor.events('checkout.session.completed')).toHaveLength(before + 1);
  expect(await balanceOf(page, service, app)).toBe(500);
});

test('a payment in euros uses the rate from its start', async ({ page, service, openApp }) => {
  runCommand(['rate', 'set', '1.0875']);
  const app = await openApp({ currency: 'eur' });
  const checkout = await openCheckout(page);
  await signIn(page, checkout, service, newEmail());
  await expect(checkout.getByText('1 EUR = $1.0875, fixed when you continue')).toBeVisible();
  await checkout.getByRole('radio', { name: 'Other amount' }).check();
  await checkout.getByRole('textbox', { name: 'Other amount' }).fill('12,50');
  await checkout.getByRole('button', { name: 'Continue with €12.50' }).click();
  await expect(checkout.getByText('1 EUR = $1.0875, fixed for this payment')).toBeVisible();
  await expect(form(checkout).getByText('1,359 svc credits', { exact: true }).first()).toBeVisible();
  // 12.50 × 1.0875 × 100 = 1359.375, rounded down, whatever the table says by then.
  runCommand(['rate', 'set', '0.95']);
  await payByCard(checkout, '4242 4242 4242 4242');
  await expect(checkout.getByRole('heading', { name: '1,359 credits added' })).toBeVisible();
  await expect(checkout.getByText('€12.50')).toBeVisible();
  expect(await balanceOf(page, service, app)).toBe(1359);
  runCommand(['rate', 'set', '1.08']);
});

test.describe('webhooks and the return page together credit once', () => {
  async function payInTab(page: Page, checkout: CheckoutFrame) {
    const opened = page.context().waitForEvent('page');
    await chooseAmount(checkout, /\$5\b/);
    const tab = await opened;
    await tab.waitForURL(/\/pay\/cs_test_/);
    const processor = processorAt(page, new URL(tab.url()).origin);
    return { tab, processor };
  }
  async function payHosted(tab: Page) {
    await tab.getByRole('button', { name: 'Fill in test card' }).click();
    await tab.getByRole('button', { name: /^Pay/ }).click();
  }

  test('the return page before the webhook, which then arrives three times and twice in parallel, credits once', async ({
    page,
    service,
    openApp,
  }) => {
    const app = await openApp({ checkoutMode: 'new_tab' });
    const checkout = await openCheckout(page);
    await signIn(page, checkout, service, newEmail());
    // Only the return page reports the payment: the checkout's own polls are lost.
    await page.route('**/checkout/api/visits/*/payments/cks_*', (route) => route.abort());
    const { tab, processor } = await payInTab(page, checkout);
    await processor.control({ webhooks: 'hold' });
    await payHosted(tab);
    await expect(tab.getByRole('heading', { name: '500 credits added' })).toBeVisible();
    expect(await balanceOf(page, service, app)).toBe(500);
    await processor.control({ deliver: 'newest_first' });
    await processor.control({ webhooks: 'on' });
    const [completed] = await processor.events('checkout.session.completed');
    const redeliver = { redeliver: completed?.event.id, deliver: 'oldest_first' };
    for (let time = 0; time < 3; time++) await processor.control(redeliver);
    await Promise.all([processor.control(redeliver), processor.control({ ...redeliver, webhooks: 'twice' })]);
    await processor.control({ webhooks: 'on' });
    await page.unroute('**/checkout/api/visits/*/payments/cks_*');
    await expect(checkout.getByRole('heading', { name: '500 credits added' })).toBeVisible();
    expect(await balanceOf(page, service, app)).toBe(500);
  });

  test('the webhook before the return page credits once', async ({ page, service, openApp }) => {
    const app = await openApp({ checkoutMode: 'new_tab' });
    const checkout = await openCheckout(page);
    await signIn(page, checkout, service, newEmail());
    await page.route('**/checkout/api/visits/*/payments/cks_*', (route) => route.abort());
    const { tab } = await payInTab(page, checkout);
    // The return page does not load until the webhook has credited.
    await tab.route('**/checkout/return**', async (route) => {
      await expect.poll(() => balanceOf(page, service, app)).toBe(500);
      await route.continue();
    });
    await payHosted(tab);
    await expect(tab.getByRole('heading', { name: '500 credits added' })).toBeVisible();
    expect(await balanceOf(page, service, app)).toBe(500);
  });

  test('a user who cancels on the processor’s page learns that nothing was charged', async ({
    page,
    service,
    openApp,
  }) => {
    await openApp({ checkoutMode: 'new_tab' });
    const checkout = await openCheckout(page);
    await signIn(page, checkout, service, newEmail());
    const { tab } = await payInTab(page, checkout);
    await tab.getByRole('link', { name: /Cancel and go back/ }).click();
    await expect(tab.getByRole('heading', { name: 'Payment cancelled' })).toBeVisible();
  });
});

test('Stripe’s own form gets one session and one container, is removed when it closes, and its result is verified', async ({
  page,
  service,
  openApp,
}) => {
  const app = await openApp();
  let formAddress = '';
  await page.route('**/checkout/api/visits/*/payments', async (route) => {
    const response = await route.fetch();
    const body = await response.json();
    formAddress = body.payment.embed_url;
    body.payment = { kind: 'stripe', client_secret: body.session_id, publishable_key: 'pk_test_1' };
    await route.fulfill({ response, json: body });
  });
  // Stripe.js comes from Stripe only: here it is replaced by the one call that we make, as its types
  // describe it.
  await page.route('https://js.stripe.com/endive/stripe.js', (route) =>
    route.fulfill({ contentType: 'text/javascript', body: STRIPE_JS }),
  );
  const checkout = await openCheckout(page);
  await signIn(page, checkout, service, newEmail());
  const calls = () => checkout.evaluate(() => (window as unknown as { calls: string[] }).calls);
  await chooseAmount(checkout, /\$5\b/);
  const pay = checkout.getByRole('button', { name: /^Pay with pk_test_1 cks_/ });
  await expect(pay).toBeVisible();
  await expect(checkout.getByText('Loading the payment form…')).toBeHidden();

  // Closed and opened again, and closed once more while Stripe still creates the form.
  const back = checkout.getByRole('button', { name: 'Back' });
  await back.click();
  await expect(pay).toHaveCount(0);
  await chooseAmount(checkout, /\$10\b(?!0)/);
  await back.click();
  await chooseAmount(checkout, /\$5\b/);
  await expect(pay).toBeVisible();
  const made = await calls();
  expect(made.slice(0, 3)).toEqual(['make fetchClientSecret,onComplete', 'mount', 'destroy']);
  // A form that is closed before it is mounted is destroyed too.
  expect(made.filter((call) => call.startsWith('make')).length).toBe(
    made.filter((call) => call === 'destroy').length + 1,
  );
  expect(await pay.textContent()).toContain(await lastOpened(page, app));

  // A declined card is reported to the app, although Stripe's form does not report it.
  const card = { number: '4000000000000002', expiry: '12/40', cvc: '123', name: 'Ada' };
  await page.request.post(formAddress, { data: card });
  await expect
    .poll(async () => (await app.received(page)).at(-1))
    .toMatchObject(['onPurchaseError', { error: { code: 'payment_declined' } }]);

  // The form reports success; the credits wait until the processor confirms it.
  await pay.click();
  await expect(checkout.getByRole('heading', { name: 'Confirming your payment…' })).toBeVisible();
  expect((await calls()).at(-1)).toBe('destroy');
  await page.request.post(formAddress, { data: { ...card, number: '4242424242424242' } });
  await expect(checkout.getByRole('heading', { name: '500 credits added' })).toBeVisible();
});

test('when Stripe’s form does not load, the user sees an error and can choose again', async ({
  page,
  service,
  openApp,
}) => {
  const app = await openApp();
  await page.route('**/checkout/api/visits/*/payments', async (route) => {
    const response = await route.fetch();
    const payment = { kind: 'stripe', client_secret: 'cs_1', publishable_key: 'pk_test_1' };
    await route.fulfill({ response, json: { ...(await response.json()), payment } });
  });
  await page.route('https://js.stripe.com/**', (route) => route.abort());
  const checkout = await openCheckout(page);
  await signIn(page, checkout, service, newEmail());
  await chooseAmount(checkout, /\$5\b/);
  await expect(checkout.getByRole('heading', { name: 'Checkout couldn’t be opened' })).toBeVisible();
  expect((await app.received(page)).at(-1)).toMatchObject([
    'onPurchaseError',
    { error: { code: 'payment_unavailable' } },
  ]);
  await checkout.getByRole('button', { name: 'Choose an amount' }).click();
  await expect(checkout.getByRole('heading', { name: 'Buy credits' })).toBeVisible();
});

/** The payment that was last reported to the app. */
async function lastOpened(page: Page, app: AppPage): Promise<string> {
  const opened = (await app.received(page)).filter(([name]) => name === 'onCheckoutOpened');
  return String(opened.at(-1)?.[1].session_id);
}

/** Like Stripe.js, it takes a moment to create a form and allows only one at a time. */
const STRIPE_JS = `window.calls = [];
let living = 0;
window.Stripe = (key) => ({
  async createEmbeddedCheckoutPage(options) {
    calls.push('make ' + Object.keys(options));
    if (living++ > 0) throw new Error('You cannot have multiple Embedded Checkout objects.');
    const button = document.createElement('button');
    button.textContent = 'Pay with ' + key + ' ' + (await options.fetchClientSecret());
    button.onclick = () => options.onComplete();
    await new Promise((resolve) => setTimeout(resolve, 300));
    return {
      mount(place) { calls.push('mount'); place.append(button); },
      destroy() { calls.push('destroy'); living -= 1; button.remove(); },
    };
  },
});`;

test('in manual mode the app receives the URL and opens it itself; the checkout follows', async ({
  page,
  service,
  openApp,
}) => {
  const app = await openApp({ checkoutMode: 'manual' });
  const checkout = await openCheckout(page);
  await signIn(page, checkout, service, newEmail());
  await chooseAmount(checkout, /\$5\b/);
  await expect(checkout.getByText('Complete the payment in the app')).toBeVisible();
  const [, event] = (await app.received(page)).find(([name]) => name === 'onCheckoutOpened') ?? [];
  const tab = await page.context().newPage();
  await tab.goto(String(event?.checkout_url));
  await tab.getByRole('button', { name: 'Fill in test card' }).click();
  await tab.getByRole('button', { name: /^Pay/ }).click();
  await expect(checkout.getByRole('heading', { name: '500 credits added' })).toBeVisible();
});

test('a purchase works with the keyboard alone, from the app’s button to the end', async ({
  page,
  service,
  openApp,
}) => {
  const app = await openApp();
  const email = newEmail();
  const press = async (...keys: string[]) => {
    for (const key of keys) await page.keyboard.press(key);
  };
  const focused = (frame: Frame | CheckoutFrame, name: RegExp) =>
    expect
      .poll(() =>
        frame.evaluate(
          () =>
            document.activeElement?.closest('label')?.textContent ??
            document.activeElement?.textContent ??
            '',
        ),
      )
      .toMatch(name);
  await page.getByRole('button', { name: 'Buy credits' }).focus();
  const checkout = await (async () => {
    await press('Enter');
    await expect.poll(() => page.frames().some((frame) => /\/checkout\/ckv_/.test(frame.url()))).toBe(true);
    return page.frames().find((frame) => /\/checkout\/ckv_/.test(frame.url())) as CheckoutFrame;
  })();
  await expect(checkout.getByLabel('E-mail')).toBeFocused();
  await page.keyboard.type(email);
  await press('Enter');
  await expect(checkout.getByLabel('Code')).toBeFocused();
  await page.keyboard.type(await readCode(page, service, email));
  await expect(checkout.getByRole('heading', { name: 'Buy credits' })).toBeFocused();
  await press('Tab', 'ArrowUp', 'Tab');
  await focused(checkout, /^Add promotion code$/);
  await press('Tab');
  await focused(checkout, /^Continue with \$5$/);
  await expect(checkout.getByRole('button', { name: 'Continue with $5' })).toBeEnabled();
  await press('Enter');
  await expect(checkout.getByRole('heading', { name: 'Payment' })).toBeFocused();
  await expect(form(checkout).getByRole('button', { name: 'Fill in test card' })).toBeVisible();
  // Into the form: the payment method, then the card's fields in order.
  await press('Tab');
  await expect(form(checkout).getByRole('radio', { name: /^Card/ })).toBeFocused();
  for (const [field, text] of [
    ['cc-number', '4242424242424242'],
    ['cc-exp', '1234'],
    ['cc-csc', '123'],
    ['cc-name', 'Ada Lovelace'],
  ] as const) {
    await press('Tab');
    await expect(form(checkout).locator(`[autocomplete="${field}"]`)).toBeFocused();
    await page.keyboard.type(text);
  }
  await press('Tab');
  await press('Enter');
  await expect(checkout.getByRole('heading', { name: '500 credits added' })).toBeFocused();
  await press('Tab', 'Tab', 'Tab', 'Tab');
  await focused(checkout, /^Done$/);
  await press('Enter');
  await expect(page.getByRole('button', { name: 'Buy credits' })).toBeFocused();
  expect((await app.received(page)).at(-1)?.[0]).toBe('onComplete');
});

test('the account view shows whose credits these are, and signing out revokes the app’s key', async ({
  page,
  service,
  openApp,
}) => {
  const app = await openApp();
  const email = newEmail();
  runCommand(['user', 'grant', email, '--credits', '300']);
  const checkout = await openCheckout(page);
  await checkout.getByLabel('E-mail').fill(email);
  await page.keyboard.press('Enter');
  await checkout.getByLabel('Code').fill(await readCode(page, service, email));
  await expect(checkout.getByRole('heading', { name: /^Allow .* to use your credits/ })).toBeVisible();
  await checkout.getByRole('button', { name: /account$/ }).click();
  await expect(checkout.getByRole('heading', { name: 'Your credits' })).toBeFocused();
  await expect(checkout.getByRole('definition')).toHaveText(['0', '300', 'None']);
  await checkout.getByRole('button', { name: 'Sign out' }).click();
  await expect(checkout.getByRole('heading', { name: 'Sign in to continue' })).toBeVisible();
  expect((await app.received(page)).at(-1)?.[0]).toBe('onLoggedOut');
});

test('after a purchase the app may be allowed more, unticked, but not for a key alone', async ({
  page,
  service,
  openApp,
}) => {
  const app = await openApp();
  const email = newEmail();
  runCommand(['user', 'grant', email, '--credits', '300']);
  const checkout = await openCheckout(page);
  await checkout.getByLabel('E-mail').fill(email);
  await page.keyboard.press('Enter');
  await checkout.getByLabel('Code').fill(await readCode(page, service, email));
  await checkout.getByRole('button', { name: 'Buy credits instead' }).click();
  await chooseAmount(checkout, /\$5\b/);
  await payByCard(checkout, '4242 4242 4242 4242');
  const optIn = checkout.getByRole('checkbox', { name: /^Also let/ });
  await expect(optIn).not.toBeChecked();
  await optIn.check();
  await checkout.getByLabel('Up to').fill('301');
  await checkout.getByRole('button', { name: /^Allow up to/ }).click();
  await expect(checkout.getByText('Enter a number from 1 to 300.')).toBeVisible();
  await checkout.getByLabel('Up to').fill('100');
  await checkout.getByRole('button', { name: 'Allow up to 100 and finish' }).click();
  await confirmAllowance(page, checkout, service, email);
  await expect(checkout.getByRole('heading', { name: 'Allowance saved' })).toBeVisible();
  expect((await app.received(page)).at(-1)).toMatchObject([
    'onCreditsAdded',
    { type: 'permission', balance: 600, credits_added: 100 },
  ]);

  // The app holds a key now: the key can buy, but shows neither the address nor the other credits.
  await page.reload();
  const again = await openCheckout(page);
  await expect(again.getByRole('heading', { name: 'Buy credits' })).toBeVisible();
  await expect(again.locator('body')).not.toContainText(email);
  await chooseAmount(again, /\$5\b/);
  await payByCard(again, '4242 4242 4242 4242');
  await expect(again.getByRole('heading', { name: '500 credits added' })).toBeVisible();
  await expect(again.getByRole('checkbox')).toHaveCount(0);
});

test('a popup recognises the user signed in on this device, and the receipt opens next to it', async ({
  page,
  service,
  openApp,
}) => {
  const app = await openApp({ display: 'popup' });
  const openPopup = async () => {
    const opened = page.waitForEvent('popup');
    await page.getByRole('button', { name: 'Buy credits' }).click();
    return opened;
  };
  const email = newEmail();
  const popup = await openPopup();
  await popup.getByLabel('E-mail').fill(email);
  await popup.keyboard.press('Enter');
  await popup.getByLabel('Code').fill(await readCode(page, service, email));
  await popup.getByRole('radio', { name: /\$25\b/ }).check();
  await popup.getByRole('button', { name: /^Continue with/ }).click();
  await popup.frameLocator('iframe').getByRole('button', { name: 'Fill in test card' }).click();
  await popup.frameLocator('iframe').getByRole('button', { name: /^Pay/ }).click();
  await expect(popup.getByRole('heading', { name: '2,500 credits added' })).toBeVisible();
  const opened = page.context().waitForEvent('page');
  await popup.getByRole('link', { name: 'View receipt' }).click();
  const receipt = await opened;
  await expect(receipt.getByRole('heading', { name: 'Receipt' })).toBeVisible();
  await expect(receipt.getByText('$25.00')).toBeVisible();
  await expect(receipt.getByText(email)).toBeVisible();
  await expectAccessible(receipt);
  await finishPopup(popup);
  await expect.poll(async () => (await app.received(page)).at(-1)?.[0]).toBe('onComplete');

  // Another app, or this one after its key is revoked: no code is required. A localhost page takes a click.
  await page.evaluate(() => localStorage.clear());
  await page.reload();
  const second = await openPopup();
  await second.getByRole('button', { name: /^Continue as/ }).click();
  await expect(second.getByRole('heading', { name: 'Buy credits' })).toBeVisible();
  await expect(second.getByText(email)).toBeVisible();
  await expect.poll(async () => (await app.received(page)).at(-1)?.[0]).toBe('onLoginCompleted');
});

test.describe('in German, small and dark, without colours or motion', () => {
  test.use({
    locale: 'de-DE',
    colorScheme: 'dark',
    reducedMotion: 'reduce',
    forcedColors: 'active',
    viewport: { width: 320, height: 640 },
  });

  test('every step is complete and translated, and nothing is cut off', async ({
    page,
    service,
    openApp,
  }) => {
    runCommand(['rate', 'set', '1.08']);
    await openApp({ currency: 'eur' });
    const expectNothingCutOff = async (frame: CheckoutFrame) => {
      await expectAccessible(frame);
      expect(
        await frame.evaluate(
          () => document.documentElement.scrollWidth - document.documentElement.clientWidth,
        ),
      ).toBeLessThanOrEqual(0);
    };
    const checkout = await openCheckout(page);
    const email = newEmail();
    await expectNothingCutOff(checkout);
    await checkout.getByLabel('E-Mail').fill(email);
    await page.keyboard.press('Enter');
    await expect(checkout.getByRole('heading', { name: 'Prüfen Sie Ihr Postfach' })).toBeVisible();
    await expectNothingCutOff(checkout);
    await checkout.getByLabel('Code').fill(await readCode(page, service, email));
    await expect(checkout.getByRole('heading', { name: 'Credits kaufen' })).toBeVisible();
    await expectNothingCutOff(checkout);
    await checkout.getByRole('radio', { name: /^10\s€/ }).check();
    await checkout.getByRole('button', { name: /^Weiter mit 10\s€$/ }).click();
    await expect(form(checkout).getByRole('button', { name: 'Fill in test card' })).toBeVisible();
    await expectNothingCutOff(checkout);
    await payByCard(checkout, '4242 4242 4242 4242');
    await expect(checkout.getByRole('heading', { name: '1.080 Credits gutgeschrieben' })).toBeVisible();
    await expectNothingCutOff(checkout);
    await expect
      .poll(async () => {
        const mails = await page.request.get(`${service}/dev/mail/messages?to=${encodeURIComponent(email)}`);
        return ((await mails.json()) as { subject: string }[])[0]?.subject;
      })
      .toMatch(/^Ihre Quittung von svc: 10,00\s€$/);
  });
});
