import { expect, type Page } from 'playwright/test';
import { readBlock } from '../tests/harness/blocks';
import { findCheckout } from './fixtures/checkout-walk';
import {
  buy,
  expectCallbacks,
  gotoSignedIn,
  openOverlay,
  readCallbacks,
  signInAt,
  test,
} from './fixtures/partner-world';
import { BASE_URL } from './fixtures/server';

/** Pages that interfere, on purpose or not, and the overlay's effect on a page: none. */

type Svc = { Svc: { open(): void; close(): void; getUserKey(): string | null } };

/** As the guide says. The page's own scripts have a nonce. */
const ALLOWED = readBlock('docs/widget.md', 'script-src')
  .replaceAll('https://YOUR-SERVICE', BASE_URL)
  .replace(/\(.+\)/, "'nonce-page'")
  .trim()
  .split('\n');

const POLICY = [
  "default-src 'none'",
  ...ALLOWED,
  "require-trusted-types-for 'script'",
  "trusted-types 'none'",
].join('; ');

const BLOCKED_STORAGE = `<script nonce="page">
  for (const name of ['localStorage', 'sessionStorage'])
    Object.defineProperty(window, name, { get() { throw new DOMException('blocked', 'SecurityError'); } });
</script>`;

const COPIES = `<base href="https://elsewhere.test/"><script nonce="page" src="${BASE_URL}/v1/svc.js"></script>`;

test.describe('users sign in and the app gets its key', () => {
  const pages = {
    'under the strictest policy, with trusted types': { headers: { 'content-security-policy': POLICY } },
    'where storage throws': { head: BLOCKED_STORAGE },
    'without a referrer, with two copies of the script and a base address of its own': {
      head: COPIES,
      headers: { 'referrer-policy': 'no-referrer' },
    },
  };
  for (const [name, pageOptions] of Object.entries(pages)) {
    test(name, async ({ page, partner }) => {
      const problems: string[] = [];
      page.on('console', (message) => message.type() === 'error' && problems.push(message.text()));
      page.on('pageerror', (error) => problems.push(error.message));
      await page.goto(partner.page(pageOptions));
      await signInAt(await openOverlay(page), page);
      const [[, login] = []] = await expectCallbacks(page, 'onLoginCompleted');
      expect(await page.evaluate(() => (window as unknown as Svc).Svc.getUserKey())).toBe(login?.user_key);
      expect(problems).toEqual([]);
    });
  }
});

test('styles that reset, hide, blur and rotate everything do not affect the overlay', async ({
  page,
  partner,
}) => {
  const head = `<style nonce="page">
    * { all: unset !important; display: none !important; visibility: hidden !important; pointer-events: none !important }
    html, body, main, button { display: block !important; visibility: visible !important; pointer-events: auto !important }
    body { filter: blur(4px) !important; opacity: .3 !important; transform: rotate(9deg) !important; contain: strict !important }
  </style>`;
  await page.goto(partner.page({ head }));
  await page.evaluate(() => void (window as unknown as Svc).Svc.open());
  const checkout = await findCheckout(page);
  const size = await checkout.evaluate(() => [innerWidth, innerHeight]);
  expect(size).toEqual([440, 628]);
  await checkout.getByLabel('E-mail').click();
  await expect(checkout.getByLabel('E-mail')).toBeFocused();
});

test('on a phone the overlay takes the whole screen', async ({ page, partner }) => {
  await page.setViewportSize({ width: 375, height: 700 });
  await page.goto(partner.page());
  const checkout = await openOverlay(page);
  expect(await checkout.evaluate(() => [innerWidth, innerHeight])).toEqual([375, 656]);
});

test('the page behind does not scroll, cannot be reached by Tab, and gets back its scroll position, style and focus', async ({
  page,
  partner,
}) => {
  const style = 'color: red; overflow: scroll !important;';
  const body = `<div style="height: 4000px"><a href="#x">A link</a></div>`;
  await page.goto(
    partner.page({ body, script: `document.documentElement.setAttribute('style', '${style}')` }),
  );
  await page.evaluate(() => window.scrollTo(0, 30));
  await page.getByRole('button', { name: 'Buy' }).focus();
  await page.keyboard.press('Enter');
  const checkout = await findCheckout(page);
  await expect(checkout.getByLabel('E-mail')).toBeFocused();
  await page.mouse.move(20, 300);
  await page.mouse.wheel(0, 600);
  for (let i = 0; i < 8; i++) {
    await page.keyboard.press('Tab');
    expect(await page.evaluate(() => document.activeElement?.matches('#buy, a'))).toBe(false);
  }
  expect(await page.evaluate(() => [scrollY, getComputedStyle(document.documentElement).overflowY])).toEqual([
    30,
    'hidden',
  ]);
  await checkout.getByLabel('E-mail').focus();
  await page.keyboard.press('Escape');
  await expect(page.getByRole('button', { name: 'Buy' })).toBeFocused();
  expect(await page.locator('html').getAttribute('style')).toBe(style);
  expect(await page.evaluate(() => scrollY)).toBe(30);
});

test('a page that removes the overlay can scroll again and open another', async ({ page, partner }) => {
  await page.goto(partner.page());
  await openOverlay(page);
  await page.evaluate(() => document.body.replaceChildren());
  await expect.poll(() => page.frames().length).toBe(1);
  await expect.poll(() => page.locator('html').getAttribute('style')).toBeNull();
  await page.evaluate(() => void (window as unknown as Svc).Svc.open());
  await findCheckout(page);
  expect(await readCallbacks(page)).toEqual([]);
});

/** Tests see into the overlay only when its root is open. */
const openRoots = (page: Page) =>
  page.addInitScript(() => {
    const { attachShadow } = Element.prototype;
    Element.prototype.attachShadow = function (this: Element, init) {
      return attachShadow.call(this, { ...init, mode: 'open' });
    };
  });

test('a checkout that does not respond says so and can be retried', async ({ page, partner }) => {
  await openRoots(page);
  await page.clock.install();
  let isResponding = false;
  // Removing the route would let the first request through, and the overlay would not send another.
  await page.route('**/checkout/gate', (route) => (isResponding ? route.continue() : undefined));
  await page.goto(partner.page());
  await buy(page);
  await expect(page.getByRole('status').getByText('Opening the checkout…')).toBeVisible();
  const warning = page.waitForEvent('console', (message) => message.text().startsWith('[svc]'));
  await page.clock.fastForward(13_000);
  await expect(page.getByRole('heading', { name: 'The checkout is not responding' })).toBeVisible();
  expect((await warning).text()).toContain(`${BASE_URL}/checkout/gate`);
  isResponding = true;
  await page.getByRole('button', { name: 'Try again' }).click();
  await findCheckout(page);
  await page.getByRole('button', { name: 'Close checkout' }).click();
  await expect.poll(() => page.frames().length).toBe(1);
});

test('a policy that forbids the frame is explained to the developer immediately', async ({
  page,
  partner,
}) => {
  await openRoots(page);
  const warning = page.waitForEvent('console', (message) => message.text().startsWith('[svc]'));
  await page.goto(partner.page({ headers: { 'content-security-policy': "frame-src 'self'" } }));
  await buy(page);
  expect((await warning).text()).toContain(`add ${BASE_URL} to frame-src`);
  await expect(page.getByRole('button', { name: 'Open in a new window' })).toBeVisible();
  const [popup] = await Promise.all([
    page.waitForEvent('popup'),
    page.getByRole('button', { name: 'Open in a new window' }).click(),
  ]);
  await signInAt(popup, page);
  await expectCallbacks(page, 'onLoginCompleted');
});

test('a click outside the overlay closes it, but requires confirmation during a payment', async ({
  page,
  partner,
}) => {
  await gotoSignedIn(page, partner.page(), partner);
  const checkout = await openOverlay(page);
  await checkout.getByRole('radio', { name: /\$5\b/ }).check();
  await checkout.getByRole('button', { name: /^Continue with/ }).click();
  // By the time the card form is shown, the page knows that a payment is in progress.
  await expect(
    checkout.frameLocator('iframe[src*="/embed/"]').getByRole('button', { name: /^Pay/ }),
  ).toBeVisible();
  await page.mouse.click(20, 20);
  await expect(checkout.getByRole('heading', { name: 'Leave this payment?' })).toBeVisible();
  await checkout.getByRole('button', { name: 'Leave', exact: true }).click();
  await expect.poll(() => page.frames().length).toBe(1);
  await openOverlay(page);
  await page.mouse.click(20, 20);
  await expect.poll(() => page.frames().length).toBe(1);
  await expectCallbacks(page, 'onCheckoutOpened');
});
