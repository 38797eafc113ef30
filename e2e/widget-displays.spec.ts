import { expect, type Page } from 'playwright/test';
import { chooseAmount, findCheckout, finishPopup, payByCard } from './fixtures/checkout-walk';
import {
  buy,
  collectWarnings,
  expectCallbacks,
  openOverlay,
  openWindow,
  readCallbacks,
  readPosted,
  signInAt,
  test,
} from './fixtures/partner-world';
import { BASE_URL } from './fixtures/server';

/** Where the checkout opens, and when it falls back to the overlay. */

const POPUP = { display: 'popup' };

const pay = async (place: Page): Promise<void> => {
  await chooseAmount(place.mainFrame(), /\$5\b/);
  await payByCard(place.mainFrame(), '4242 4242 4242 4242');
  await expect(place.getByRole('heading', { name: '500 credits added' })).toBeVisible();
};

test('a popup sells like the overlay, no key crosses it, and a user who signed in is recognised the next time', async ({
  page,
  context,
  partner,
}) => {
  const warnings = collectWarnings(page);
  await page.goto(partner.page({ options: POPUP }));
  const popup = await openWindow(page);
  expect(page.frames()).toHaveLength(1);
  await signInAt(popup, page);
  await pay(popup);
  await buy(page);
  expect(context.pages()).toHaveLength(2);
  await finishPopup(popup);
  const received = await expectCallbacks(
    page,
    'onLoginCompleted',
    'onCheckoutOpened',
    'onCreditsAdded',
    'onComplete',
  );
  expect(popup.isClosed()).toBe(true);
  const key = received[0]?.[1]?.user_key;
  expect(received[3]?.[1]).toEqual({ user_key: key, balance: 500, credits_added: 500 });

  for (const display of ['popup', 'new_tab']) {
    await page.goto(partner.page({ options: { display } }));
    const again = await openWindow(page);
    await expect(again.getByRole('heading', { name: 'Buy credits' })).toBeVisible();
    expect(await expectCallbacks(page, 'onLoginCompleted')).toEqual([
      ['onLoginCompleted', { user_key: key, balance: 500 }],
    ]);
    expect(await readPosted(page)).not.toMatch(/svc_sk_|balance|@example/);
    await page.evaluate(() => (window as unknown as { Svc: { close(): void } }).Svc.close());
    await expect.poll(() => again.isClosed()).toBe(true);
  }
  // Without a key in the page's storage, the session of the service is enough.
  await page.evaluate(() => localStorage.clear());
  await page.reload();
  await openWindow(page);
  const [login] = await expectCallbacks(page, 'onLoginCompleted');
  expect(login?.[1]?.user_key).toMatch(/^svc_sk_/);
  expect(warnings).toEqual([]);
});

test.describe('when no window can open, the overlay opens instead, with one warning', () => {
  const cases = [
    {
      name: 'a browser that blocks windows',
      pageOptions: {
        options: { display: 'new_tab' },
        head: '<script nonce="page">window.open = () => null</script>',
      },
      warning: /blocked/,
    },
    {
      name: 'Cross-Origin-Opener-Policy: same-origin',
      pageOptions: { options: POPUP, headers: { 'cross-origin-opener-policy': 'same-origin' } },
      warning: /Cross-Origin-Opener-Policy/,
    },
    {
      name: 'the same policy on a server without HEAD',
      pageOptions: {
        options: POPUP,
        headers: { 'cross-origin-opener-policy': 'same-origin; report-to="x"' },
        method: ({ method }: { method?: string }) => (method === 'HEAD' ? 405 : undefined),
      },
      warning: /Cross-Origin-Opener-Policy/,
    },
    {
      name: 'the same policy on a page that may not request itself',
      pageOptions: {
        options: POPUP,
        headers: {
          'cross-origin-opener-policy': 'same-origin',
          'content-security-policy': "connect-src 'none'",
        },
      },
      warning: /cannot communicate/,
    },
  ];
  for (const { name, pageOptions, warning } of cases) {
    test(name, async ({ page, partner }) => {
      const warnings = collectWarnings(page);
      await page.goto(partner.page(pageOptions as object));
      for (let time = 0; time < 2; time++) {
        await buy(page);
        // Closed before its page has responded, it would be reported as refused.
        await expect((await findCheckout(page)).getByLabel('E-mail')).toBeVisible();
        await page.evaluate(() => (window as unknown as { Svc: { close(): void } }).Svc.close());
        await expect.poll(() => page.frames().length).toBe(1);
      }
      expect(warnings).toHaveLength(1);
      expect(warnings[0]).toMatch(warning);
      expect(await readCallbacks(page)).toEqual([]);
    });
  }
});

test('open() outside a click opens the overlay, with one warning', async ({ page, partner }) => {
  const warnings = collectWarnings(page);
  // Immediately: anything that the test evaluates in the page later counts as a user gesture.
  const script = 'Svc.open(); Svc.close(); Svc.open();';
  await page.goto(partner.page({ options: POPUP, script }));
  await expect.poll(() => page.frames().some((frame) => frame.url().includes('/checkout/ckv_'))).toBe(true);
  expect(warnings).toEqual([expect.stringMatching(/inside the user's click/)]);
});

test('Cross-Origin-Opener-Policy: same-origin-allow-popups keeps the popup', async ({ page, partner }) => {
  const warnings = collectWarnings(page);
  const headers = { 'cross-origin-opener-policy': 'same-origin-allow-popups' };
  await page.goto(partner.page({ options: POPUP, headers }));
  const popup = await openWindow(page);
  await expect(popup.getByLabel('E-mail')).toBeVisible();
  await popup.close();
  await openWindow(page);
  expect(page.frames()).toHaveLength(1);
  expect(warnings).toEqual([]);
});

test('a window that the browser closes during a payment asks for confirmation, and no other close does', async ({
  page,
  partner,
}) => {
  await page.goto(partner.page({ options: POPUP }));
  const popup = await openWindow(page);
  const questions: string[] = [];
  popup.on('dialog', (dialog) => {
    questions.push(dialog.type());
    // A dialog that is gone was already answered.
    dialog.dismiss().catch(() => {});
  });
  await signInAt(popup, page);
  await chooseAmount(popup.mainFrame(), /\$5\b/);
  // By the time the card form is shown, the page knows that a payment is in progress.
  await expect(
    popup.frameLocator('iframe[src*="/embed/"]').getByRole('button', { name: /^Pay/ }),
  ).toBeVisible();
  await popup.close({ runBeforeUnload: true });
  await expect.poll(() => questions).toEqual(['beforeunload']);
  // A user who stays continues to pay; one who confirms here is not asked twice.
  await popup.keyboard.press('Escape');
  await popup.getByRole('button', { name: 'Leave' }).click();
  await expect.poll(() => popup.isClosed()).toBe(true);

  const paid = await openWindow(page);
  paid.on('dialog', (dialog) => {
    questions.push(dialog.type());
    // A dialog that is gone was already answered.
    dialog.dismiss().catch(() => {});
  });
  await pay(paid);
  await paid.close({ runBeforeUnload: true });
  await expect.poll(() => paid.isClosed()).toBe(true);
  expect(questions).toEqual(['beforeunload']);
});

test('a popup survives a reload of its page and keeps sending messages to it', async ({ page, partner }) => {
  await page.goto(partner.page({ options: POPUP }));
  const popup = await openWindow(page);
  await expect(popup.getByLabel('E-mail')).toBeVisible();
  await page.reload();
  await hearFromCheckout(page);
  await signInAt(popup, page);
  await pay(popup);
  await finishPopup(popup);
  await expectCallbacks(page, 'onLoginCompleted', 'onCheckoutOpened', 'onCreditsAdded', 'onComplete');
});

/** The window looks for its page again every few seconds. */
const hearFromCheckout = (page: Page) =>
  page.evaluate(
    (origin) =>
      new Promise<void>((resolve) => {
        window.addEventListener('message', (message) => message.origin === origin && resolve());
      }),
    BASE_URL,
  );

test('a payment whose page closed is reported once, by one of two tabs, when the app opens again', async ({
  page,
  context,
  partner,
}) => {
  const address = partner.page({ options: POPUP });
  await page.goto(address);
  const popup = await openWindow(page);
  await signInAt(popup, page);
  await chooseAmount(popup.mainFrame(), /\$5\b/);
  await expectCallbacks(page, 'onLoginCompleted', 'onCheckoutOpened');
  // The app's tab closes during the payment.
  await page.close();
  await payByCard(popup.mainFrame(), '4242 4242 4242 4242');
  await expect(popup.getByRole('heading', { name: '500 credits added' })).toBeVisible();
  await popup.close();

  const tabs = [await context.newPage(), await context.newPage()];
  await Promise.all(tabs.map((tab) => tab.goto(address)));
  const heardByAll = async () => (await Promise.all(tabs.map(readCallbacks))).flat();
  await expect.poll(async () => (await heardByAll()).length).toBe(1);
  expect(await heardByAll()).toEqual([
    [
      'onCreditsAdded',
      { type: 'purchase', user_key: expect.stringMatching(/^svc_sk_/), balance: 500, credits_added: 500 },
    ],
  ]);
  // And never again.
  await tabs[0]?.reload();
  await tabs[0]?.waitForLoadState('networkidle');
  expect(await heardByAll()).toHaveLength((await readCallbacks(tabs[1] as Page)).length);
});

test('an overlay that was closed during a payment reports the payment when it arrives', async ({
  page,
  partner,
}) => {
  await page.goto(partner.page());
  const checkout = await openOverlay(page);
  await signInAt(checkout as unknown as Page, page);
  await chooseAmount(checkout, /\$5\b/);
  const form = checkout.frameLocator('iframe');
  await expect(form.getByRole('button', { name: /^Pay/ })).toBeVisible();
  const address = await checkout.locator('iframe').getAttribute('src');
  await page.evaluate(() => (window as unknown as { Svc: { close(): void } }).Svc.close());
  // The form was submitted just before.
  await page.request.post(address ?? '', {
    data: { number: '4242 4242 4242 4242', expiry: '12/40', cvc: '123', name: 'Ada Lovelace' },
  });
  const received = await expectCallbacks(page, 'onLoginCompleted', 'onCheckoutOpened', 'onCreditsAdded');
  expect(received[2]?.[1]).toMatchObject({ type: 'purchase', credits_added: 500 });
});
