import { expect, type Frame, type Locator, type Page } from 'playwright/test';
import { type Messages, wordsOf } from '../app/checkout/messages';
import { CHECKOUT_TEXTS } from '../texts/checkout';
import { LANGUAGES } from '../texts/languages';
import { writeDelay } from '../texts/say';
import { serveAppPage } from './fixtures/app-page';
import { expectGoodAppearance, untilClickable } from './fixtures/appearance';
import {
  type CheckoutFrame,
  confirmAllowance,
  findCheckout,
  newEmail,
  readCode,
  test,
} from './fixtures/checkout-walk';
import { processorAt } from './fixtures/processor';
import { runCommand } from './fixtures/server';

/**
 * Every page and state of the checkout: axe finds no violations in light or dark, and nothing is cut off.
 * The other files test what users do in them. `E2E_PICTURES=<folder>` takes a screenshot of each state, and
 * `E2E_LOCALE=de,ja` walks through them in other languages than English.
 */

const PAYMENT_STATUS = '**/checkout/api/visits/*/payments/cks_*';

const WALKED = LANGUAGES.filter((language) => (process.env.E2E_LOCALE ?? 'en').split(',').includes(language));

for (const language of WALKED) {
  const { say: text } = wordsOf(CHECKOUT_TEXTS[language], language);
  const see = (place: Page | Frame, state: string) => expectGoodAppearance(place, `${state}-${language}`);

  test.describe(`in ${language}`, () => {
    test.use({ locale: language, reducedMotion: 'reduce' });
    test.setTimeout(120_000);

    test('before the user is known', async ({ page, service }) => {
      await page.goto(`${service}/checkout/gate#nobody`);
      await expect(page.getByRole('heading', { name: text.noOpenerTitle })).toBeVisible();
      await see(page, 'gate-without-opener');
      await page.goto(`${service}/checkout/ckv_unknown`);
      await expect(page.getByRole('heading', { name: text.lostTitle })).toBeVisible();
      await see(page, 'window-lost');

      const app = await serveAppPage(service);
      await page.goto(app.url.replace('127.0.0.1', 'stranger.test'));
      const refusal = await openGate(page);
      await expect(refusal.getByRole('heading', { name: text.refusedTitle })).toBeVisible();
      await see(refusal, 'gate-refused');

      await page.goto(app.url);
      const opening = await hold(page, '**/checkout/api/visits');
      const gate = await openGate(page);
      await expect(gate.getByText(text.loading)).toBeVisible();
      await see(gate, 'gate-opening');
      await opening.fail();
      await expect(gate.getByRole('heading', { name: text.brokenTitle })).toBeVisible();
      await see(gate, 'gate-broken');

      await opening.release();
      const reading = await hold(page, '**/checkout/api/visits/ckv_*');
      await gate.getByRole('button', { name: text.retry }).click();
      const checkout = await findCheckout(page);
      await expect(checkout.getByText(text.loading)).toBeVisible();
      await see(checkout, 'window-opening');
      await reading.fail();
      await expect(checkout.getByRole('heading', { name: text.brokenTitle })).toBeVisible();
      await see(checkout, 'window-broken');
      const [address] = checkout.url().split('#');
      await page.goto(address ?? '');
      await expect(page.getByRole('heading', { name: text.noOpenerTitle })).toBeVisible();
      await see(page, 'window-without-opener');
      await app.close();
    });

    test('signing in', async ({ page, service }) => {
      const app = await serveAppPage(service, { display: 'popup' });
      await page.goto(app.url);
      const [popup] = await Promise.all([page.waitForEvent('popup'), clickBuy(page)]);
      await expect(popup.getByLabel(text.email)).toBeVisible();
      await see(popup, 'sign-in');
      await popup.getByRole('button', { name: text.sendCode }).click();
      await expect(popup.getByText(text.emailInvalid)).toBeVisible();
      await see(popup, 'sign-in-invalid');

      const limited = { status: 429, headers: { 'retry-after': '2400' } };
      await popup.route('**/send-code', (route) =>
        route.fulfill({ ...limited, json: { error: { type: 'rate_limited' } } }),
      );
      const email = newEmail();
      await popup.getByLabel(text.email).fill(email);
      await popup.keyboard.press('Enter');
      await expect(popup.getByText(text.tooMany({ when: writeDelay(2_400, language) }))).toBeVisible();
      await see(popup, 'sign-in-limited');
      await popup.unroute('**/send-code');
      await popup.keyboard.press('Enter');
      await expect(popup.getByLabel(text.code, { exact: true })).toBeVisible();
      await see(popup, 'code');
      const code = await readCode(page, service, email);
      await popup.getByLabel(text.code, { exact: true }).fill(code === '000000' ? '000001' : '000000');
      await expect(popup.getByText(text.codeInvalid)).toBeVisible();
      await see(popup, 'code-wrong');
      await popup.route('**/auth/token', (route) => route.abort());
      await page.route('**/auth/token', (route) => route.abort());
      await popup.getByLabel(text.code, { exact: true }).fill(code);
      await expect(popup.getByText(text.keyFailed)).toBeVisible();
      await see(popup, 'key-failed');

      // The device is known by now; a window that does not recognise it by itself asks.
      await popup.route('**/checkout/api/visits/ckv_*', async (route) => {
        const response = await route.fetch();
        const state = { signed_in: null, email: null, device_email: 'a…z@example.com' };
        await route.fulfill({ response, json: { ...(await response.json()), ...state } });
      });
      await popup.reload();
      await expect(
        popup.getByRole('button', { name: text.continueAs({ email: 'a…z@example.com' }) }),
      ).toBeVisible();
      await see(popup, 'continue-as');
      await app.close();
    });

    test('buying', async ({ page, service }) => {
      await page.clock.install();
      const app = await serveAppPage(service);
      await page.goto(app.url);
      const checkout = await openSignedIn(page, service, text);
      await see(checkout, 'amount');
      await checkout.getByRole('radio', { name: text.amountCustom }).check();
      await checkout.getByRole('textbox', { name: text.amountCustom }).fill('4');
      await checkout.getByRole('button', { name: continueName(text) }).click();
      await expect(checkout.getByRole('textbox', { name: text.amountCustom })).toHaveAttribute(
        'aria-invalid',
      );
      await see(checkout, 'amount-invalid');
      await checkout.getByRole('button', { name: text.codeAdd }).click();
      await expectInView(page, checkout.getByRole('button', { name: continueName(text) }));
      await checkout.getByRole('textbox', { name: text.amountCustom }).fill('12,5');
      await page.route('**/checkout/api/visits/*/payments', (route) => route.abort());
      await checkout.getByRole('button', { name: continueName(text) }).click();
      await expect(checkout.getByText(text.offline)).toBeVisible();
      await see(checkout, 'amount-offline');
      await page.unroute('**/checkout/api/visits/*/payments');

      await page.route(PAYMENT_STATUS, (route) => route.abort());
      await checkout.getByRole('button', { name: continueName(text) }).click();
      const form = checkout.frameLocator('iframe');
      await expect(form.locator('#number')).toBeVisible();
      await see(checkout, 'payment');
      await form.locator('[value=bank]').check();
      await see(checkout, 'payment-by-bank');
      await form.locator('[value=card]').check();
      await form.locator('#card-form [type=submit]').click();
      await expect(form.locator('#number')).toHaveAttribute('aria-invalid');
      await see(checkout, 'payment-empty');
      await expectInView(page, form.locator('#card-form [type=submit]'));
      await payWith(checkout, '4000 0000 0000 0002');
      await expect(form.locator('#card-form [role=alert]')).not.toBeEmpty();
      await expect(checkout.getByText(text.failedText)).toBeVisible();
      await see(checkout, 'payment-declined');
      await expectInView(page, form.locator('#card-form [type=submit]'));
      await checkout.getByRole('heading', { name: text.paymentTitle }).click();
      await page.keyboard.press('Escape');
      await expect(checkout.getByRole('heading', { name: text.leaveTitle })).toBeVisible();
      await see(checkout, 'payment-leave');
      await checkout.getByRole('button', { name: text.stay }).click();
      await payWith(checkout, '4000 0027 6000 3184');
      await expect(form.locator('#challenge')).toBeVisible();
      await see(checkout, 'payment-challenge');
      await form.getByRole('button', { name: 'Complete authentication' }).click();
      await expect(checkout.getByRole('heading', { name: text.confirming })).toBeVisible();
      await expect(checkout.locator('iframe')).toHaveCount(0);
      await see(checkout, 'confirming');
      await page.clock.fastForward(31_000);
      await expect(checkout.getByText(text.confirmingSlow)).toBeVisible();
      await see(checkout, 'confirming-slow');
      await page.unroute(PAYMENT_STATUS);
      await page.clock.fastForward(2000);
      await expect(checkout.getByRole('button', { name: text.done })).toBeVisible();
      await see(checkout, 'success');
      await app.close();
    });

    test('payments with other outcomes', async ({ page, service }) => {
      const app = await serveAppPage(service);
      await page.goto(app.url);
      let checkout = await openSignedIn(page, service, text);
      const expectOutcome = async (state: string, response: object, title: string) => {
        await page.route(PAYMENT_STATUS, (route) =>
          route.fulfill({ json: { credits_added: 0, balance: 0, ...response } }),
        );
        await checkout.getByRole('button', { name: continueName(text) }).click();
        await expect(checkout.getByRole('heading', { name: title })).toBeVisible();
        await expect(checkout.locator('iframe')).toHaveCount(0);
        await see(checkout, state);
        await page.unroute(PAYMENT_STATUS);
      };
      await expectOutcome('failed', { status: 'failed', failure: 'insufficient_funds' }, text.failedTitle);
      await checkout.getByRole('button', { name: text.chooseAgain }).click();
      await expectOutcome('expired', { status: 'expired' }, text.expiredTitle);
      await checkout.getByRole('button', { name: text.chooseAgain }).click();
      await checkout.getByRole('button', { name: continueName(text) }).click();
      const form = checkout.frameLocator('iframe');
      await form.locator('[value=bank]').check();
      await form.locator('[data-iban=AT321904300235473204]').click();
      await form.locator('#bank-form [type=submit]').click();
      await expect(checkout.getByRole('heading', { name: text.processingTitle })).toBeVisible();
      await expect(checkout.locator('iframe')).toHaveCount(0);
      await see(checkout, 'processing');
      await page.keyboard.press('Escape');
      await expect.poll(() => page.frames().length).toBe(1);
      await clickBuy(page);
      checkout = await findCheckout(page);
      await expectOutcome(
        'wrong-payment',
        { status: 'failed', failure: 'wrong_payment' },
        text.wrongPaymentTitle,
      );
      await checkout.getByRole('button', { name: text.close }).click();
      await expect.poll(() => page.frames().length).toBe(1);
      await app.close();
    });

    test('paying in a tab, in euros', async ({ page, service }) => {
      runCommand(['rate', 'set', '1.08']);
      const app = await serveAppPage(service, { checkoutMode: 'new_tab', currency: 'eur' });
      await page.goto(app.url);
      await page.route('**/verify-code', async (route) => {
        const response = await route.fetch();
        const body = await response.json();
        await route.fulfill({ json: { ...body, state: { ...body.state, rates: { usd: 1, eur: null } } } });
      });
      const paused = await openSignedIn(page, service, text);
      await expect(paused.getByText(text.eurPaused)).toBeVisible();
      await see(paused, 'amount-euro-paused');
      await page.reload();
      await clickBuy(page);
      const checkout = await findCheckout(page);
      await expect(checkout.getByRole('heading', { name: text.amountTitle })).toBeVisible();
      await see(checkout, 'amount-euro');
      const opened = page.context().waitForEvent('page');
      await checkout.getByRole('button', { name: continueName(text) }).click();
      const tab = await opened;
      await tab.waitForURL(/\/pay\/cs_test_/);
      await see(checkout, 'payment-in-tab');
      await see(tab, 'processor-page');
      await tab.locator('#card-form [type=submit]').click();
      await expect(tab.locator('#number')).toHaveAttribute('aria-invalid');
      await see(tab, 'processor-page-empty');
      await page.route(PAYMENT_STATUS, (route) => route.abort());
      const processor = processorAt(page, new URL(tab.url()).origin);
      await processor.control({ webhooks: 'hold' });
      const paymentPage = tab.url();
      const sessionId = await sessionOf(tab);
      await tab.goto(`${service}/checkout/return?session_id=${sessionId}`);
      await expect(tab.getByRole('heading', { name: text.confirming })).toBeVisible();
      await see(tab, 'return-confirming');
      await tab.goto(`${service}/checkout/return?session_id=${sessionId}&status=cancelled`);
      await expect(tab.getByRole('heading', { name: text.cancelTitle })).toBeVisible();
      await see(tab, 'return-cancelled');
      await tab.goto(`${service}/checkout/return`);
      await expect(tab.getByRole('heading', { name: text.returnTitle })).toBeVisible();
      await see(tab, 'return-unknown');
      await tab.goto(paymentPage);
      await tab.locator('.fill').click();
      await tab.locator('#card-form [type=submit]').click();
      await tab.waitForURL(/checkout\/return/);
      await expect(tab.getByText(text.returnPaidText({ app: 'Notes' }))).toBeVisible();
      await see(tab, 'return-paid');
      await tab.goto(paymentPage);
      await see(tab, 'processor-paid');
      await tab.goto(new URL('/pay/cs_test_none', paymentPage).href);
      await see(tab, 'processor-missing');
      await processor.control({ webhooks: 'on' });
      await app.close();
    });

    test('credits bought elsewhere, and the account', async ({ page, service }) => {
      const app = await serveAppPage(service, { amount: 5 });
      const email = newEmail();
      runCommand(['user', 'grant', email, '--credits', '1234.5']);
      await page.goto(app.url);
      await clickBuy(page);
      const checkout = await findCheckout(page);
      await enter(page, checkout, service, text, email);
      await expect(checkout.getByRole('button', { name: text.buyInstead })).toBeVisible();
      await see(checkout, 'allowance');
      await checkout.getByLabel(text.allowanceField).fill('9999');
      await checkout.locator('form [type=submit]').click();
      await expect(checkout.getByLabel(text.allowanceField)).toHaveAttribute('aria-invalid');
      await see(checkout, 'allowance-invalid');
      await checkout.getByRole('button', { name: text.accountOpen({ app: 'Notes' }) }).click();
      await see(checkout, 'account');
      await expectInView(page, checkout.getByRole('button', { name: text.signOut }));
      await checkout.getByRole('button', { name: text.back }).click();
      await checkout.getByRole('button', { name: text.buyInstead }).click();
      await checkout.getByRole('button', { name: continueName(text) }).click();
      await payWith(checkout, '4242 4242 4242 4242');
      await expect(checkout.getByRole('button', { name: text.done })).toBeVisible();
      await see(checkout, 'success-with-offer');
      await checkout.getByRole('checkbox').check();
      await checkout.locator('[name=credits]').fill('9999');
      await checkout.locator('form [type=submit]').click();
      await expect(checkout.locator('[name=credits]')).toHaveAttribute('aria-invalid');
      await see(checkout, 'success-with-offer-invalid');
      await checkout.locator('[name=credits]').fill('250');
      await checkout.locator('form [type=submit]').click();
      await expect(checkout.getByRole('heading', { name: text.allowanceCodeTitle })).toBeVisible();
      await see(checkout, 'allowance-code');
      await confirmAllowance(page, checkout, service, email);
      await expect(checkout.getByRole('heading', { name: text.allowedTitle })).toBeVisible();
      await see(checkout, 'allowed');

      await page.reload();
      await clickBuy(page);
      const known = await findCheckout(page);
      await known.getByRole('button', { name: text.accountOpen({ app: 'Notes' }) }).click();
      await see(known, 'account-by-key');
      await known.getByRole('button', { name: text.back }).click();
      await known.getByRole('button', { name: continueName(text) }).click();
      await payWith(known, '4242 4242 4242 4242');
      await expect(known.getByRole('button', { name: text.done })).toBeVisible();
      await expect(known.getByRole('checkbox')).toHaveCount(0);
      await see(known, 'success-by-key');
      await known.getByRole('button', { name: text.accountOpen({ app: 'Notes' }) }).click();
      await known.getByRole('button', { name: text.signIn, exact: true }).click();
      await expect(known.getByRole('heading', { name: text.stepUpTitle })).toBeVisible();
      await see(known, 'step-up');
      const other = newEmail();
      await enter(page, known, service, text, other);
      await expect(
        known.getByRole('heading', { name: text.otherAccountTitle({ app: 'Notes' }) }),
      ).toBeVisible();
      await see(known, 'other-account');
      await known.getByRole('button', { name: text.otherAccountRetry }).click();
      await expect(known.getByLabel(text.email)).toHaveValue(other);
      await app.close();
    });
  });
}

const SCREENS = [
  { width: 1366, height: 620 },
  { width: 390, height: 780 },
  { width: 1280, height: 800 },
];

/** Without scrolling, on a desktop, a low laptop and a phone. */
async function expectInView(page: Page, button: Locator): Promise<void> {
  for (const screen of SCREENS) {
    await page.setViewportSize(screen);
    await expect(button, JSON.stringify(screen)).toBeInViewport({ ratio: 1 });
  }
  // Until then, a hint may move what is next to it.
  await expect(button).toBeEnabled();
  await untilClickable(page);
}

/** The button that continues with an amount, whatever it is, or with none. */
function continueName(text: Messages): RegExp {
  const [before = '', after = ''] = text.continue({ money: '\0' }).split('\0');
  return new RegExp(`^(${text.goOn}|${before}.+${after})$`);
}

async function enter(page: Page, checkout: CheckoutFrame, service: string, text: Messages, email: string) {
  await checkout.getByLabel(text.email).fill(email);
  await page.keyboard.press('Enter');
  await checkout.getByLabel(text.code, { exact: true }).fill(await readCode(page, service, email));
}

/** Continues up to the choice of an amount. */
async function openSignedIn(page: Page, service: string, text: Messages): Promise<CheckoutFrame> {
  await clickBuy(page);
  const checkout = await findCheckout(page);
  await enter(page, checkout, service, text, newEmail());
  await expect(checkout.getByRole('heading', { name: text.amountTitle })).toBeVisible();
  return checkout;
}

/** In the processor's form, in any language. */
async function payWith(checkout: CheckoutFrame, card: string): Promise<void> {
  const form = checkout.frameLocator('iframe');
  await form.locator('#number').fill(card);
  await form.locator('#expiry').fill('12 / 40');
  await form.locator('#cvc').fill('123');
  await form.locator('#name').fill('Ada Lovelace');
  await form.locator('#card-form [type=submit]').click();
}

/** Our payment that a page of the processor belongs to, read from its return URL. */
async function sessionOf(tab: Page): Promise<string> {
  const back = await tab.locator('a.back').getAttribute('href');
  return new URL(back ?? '').searchParams.get('session_id') ?? '';
}

async function clickBuy(page: Page): Promise<void> {
  await page.getByRole('button', { name: 'Buy credits' }).click();
}

async function openGate(page: Page): Promise<CheckoutFrame> {
  await clickBuy(page);
  return findCheckout(page, /\/checkout\/gate/);
}

/** Keeps requests waiting until they are made to fail; then lets later ones pass. */
async function hold(page: Page, address: string) {
  const held: (() => Promise<void>)[] = [];
  let fails = false;
  await page.route(address, (route) => {
    if (fails) return route.abort();
    held.push(() => route.abort());
  });
  return {
    async fail() {
      fails = true;
      for (const abort of held.splice(0)) await abort();
    },
    release: () => page.unroute(address),
  };
}
