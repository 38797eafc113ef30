import { expect, type Page } from 'playwright/test';
import { wordsOf } from '../app/checkout/messages';
import { CHECKOUT_TEXTS } from '../texts/checkout';
import type { Language } from '../texts/languages';
import { MAIL_TEXTS } from '../texts/mails';
import { serveAppPage } from './fixtures/app-page';
import { newEmail, openCheckout, payByCard, readCode, test } from './fixtures/checkout-walk';
import { signInTo } from './fixtures/dashboard';
import { watchInteractive } from './fixtures/interactive';

/** The language of the checkout, of sign-in and of mails: the app's, the account's, or the browser's. */

test.use({ viewport: { width: 375, height: 720 }, locale: 'de-CH' });

const say = (language: Language) => wordsOf(CHECKOUT_TEXTS[language], language).say;

async function buy(page: Page, service: string, { email, language }: { email: string; language: Language }) {
  const text = say(language);
  const checkout = await openCheckout(page);
  await checkout.getByLabel(text.email).fill(email);
  await page.keyboard.press('Enter');
  await checkout.getByLabel(text.code, { exact: true }).fill(await readCode(page, service, email));
  await expect(checkout.getByRole('heading', { name: text.amountTitle })).toBeVisible();
  await checkout.locator('form [type=submit]').last().click();
  await payByCard(checkout, '4242 4242 4242 4242');
  await expect(checkout.getByRole('heading', { name: text.successTitle({ count: 1000 }) })).toBeVisible();
  return checkout;
}

/** The receipt's subject up to what was paid. */
async function expectReceiptIn(page: Page, service: string, email: string, language: Language) {
  const [subject = ''] = MAIL_TEXTS[language].receipt.title.replace('{brand}', 'svc').split('{paid}');
  const mails = () =>
    page.request
      .get(`${service}/dev/mail/messages?to=${encodeURIComponent(email)}`)
      .then((response) => response.json() as Promise<{ subject: string }[]>);
  await expect.poll(async () => (await mails()).some((mail) => mail.subject.startsWith(subject))).toBe(true);
}

for (const { language, options, from } of [
  { language: 'de', options: {}, from: 'the browser' },
  { language: 'ja', options: { locale: 'ja-JP' }, from: 'the app' },
] as const) {
  test(`a user buys on a phone in the language of ${from}, which is ${language}`, async ({
    page,
    service,
  }) => {
    const loaded = new Set<string | undefined>();
    page.on('request', (request) => {
      const file = /\/checkout\/texts-([a-z-]+)-\w+\.js$/.exec(request.url());
      if (file !== null) loaded.add(file[1]);
    });
    const app = await serveAppPage(service, options);
    const email = newEmail();
    await page.goto(app.url);
    const checkout = await buy(page, service, { email, language });
    await expect(checkout.locator('html')).toHaveAttribute('lang', language);
    expect([...loaded]).toEqual([language]);
    await expectReceiptIn(page, service, email, language);
    await app.close();
  });
}

test('the language that an account chose replaces that of the browser in the checkout, on pages and in mails, but not that of the app', async ({
  page,
  browser,
  service,
}) => {
  const email = newEmail();
  const context = await browser.newContext({ locale: 'en-US' });
  await watchInteractive(context);
  const english = await context.newPage();
  await signInTo(english, service, email, '/account/settings');
  // A choice before that would be lost.
  await english.waitForFunction(() => window.interactiveAt);
  await english.getByLabel('Language', { exact: true }).selectOption('Polski');
  await expect(english.getByText('Language saved')).toBeVisible();
  await english.goto(`${service}/device`);
  await expect(english.locator('html')).toHaveAttribute('lang', 'pl');
  await expect(english.getByRole('heading', { name: 'Połącz urządzenie' })).toBeVisible();
  await context.close();

  const app = await serveAppPage(service);
  await page.goto(app.url);
  const checkout = await openCheckout(page);
  await checkout.getByLabel(say('de').email).fill(email);
  await page.keyboard.press('Enter');
  await checkout.getByLabel(say('de').code, { exact: true }).fill(await readCode(page, service, email));
  await expect(checkout.getByRole('heading', { name: say('pl').amountTitle })).toBeVisible();
  await expect(checkout.locator('html')).toHaveAttribute('lang', 'pl');
  await checkout.locator('form [type=submit]').last().click();
  await payByCard(checkout, '4242 4242 4242 4242');
  await expect(
    checkout.getByRole('heading', { name: say('pl').successTitle({ count: 1000 }) }),
  ).toBeVisible();
  await expectReceiptIn(page, service, email, 'pl');
  await app.close();

  const french = await serveAppPage(service, { locale: 'fr' });
  await page.goto(french.url);
  await buy(page, service, { email, language: 'fr' });
  await french.close();
});
