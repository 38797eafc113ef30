import { type BrowserContext, expect, type Page } from 'playwright/test';
import { expectGoodAppearance } from './fixtures/appearance';
import { type CheckoutFrame, confirmAllowance, newEmail } from './fixtures/checkout-walk';
import {
  enterCode,
  expectCallbacks,
  openOverlay,
  openWindow,
  readCallbacks,
  signInAt,
  test,
} from './fixtures/partner-world';
import { BASE_URL, runCommand } from './fixtures/server';

/** Pages of an app that try to make a user click a button of the checkout without knowing. */

/** The page can reach into the overlay that the widget makes on it. */
const OPEN_ROOTS = `<script nonce="page">
  const { attachShadow } = Element.prototype;
  Element.prototype.attachShadow = function (init) {
    return (window.overlay = attachShadow.call(this, { ...init, mode: 'open' }));
  };
</script>`;

type Overlay = { overlay: ShadowRoot };

/** Each hides the checkout from the user and lets clicks through to it. */
/** `button` is where it is in the frame. */
const COVERS: Record<string, (page: Page, button: { y: number }) => Promise<void>> = {
  'an opaque popover in the top layer': (page) =>
    page.evaluate(() => {
      const decoy = Object.assign(document.createElement('div'), { id: 'cover', popover: 'manual' });
      decoy.textContent = 'Click here to see the kittens';
      decoy.style.cssText =
        'inset: 0; width: 100vw; height: 100vh; border: 0; background: white; pointer-events: none';
      document.body.append(decoy);
      decoy.showPopover();
    }),
  'an opacity of almost zero': (page) => restyle(page, 'opacity: 0.01'),
  'a blur': (page) => restyle(page, 'filter: blur(20px)'),
  'a clip path that leaves most of the button': (page, button) =>
    restyle(page, `clip-path: inset(${button.y + 6}px 0 0 0)`),
  'a blend with the background': (page) => restyle(page, 'mix-blend-mode: difference'),
};

const restyle = (page: Page, style: string): Promise<void> =>
  page.evaluate((text) => {
    const { overlay } = window as unknown as Overlay;
    const frame = overlay.querySelector('iframe');
    if (frame) frame.style.cssText = text;
  }, style);

async function uncover(page: Page): Promise<void> {
  await page.locator('#cover').evaluateAll((covers) => covers.map((cover) => cover.remove()));
  await restyle(page, '');
}

/** A real click at the place of a button, whatever is seen there. */
async function clickAt(page: Page, checkout: CheckoutFrame, name: RegExp): Promise<void> {
  const box = await checkout.getByRole('button', { name }).boundingBox();
  if (box === null) throw new Error(`No button ${name}`);
  await page.mouse.click(box.x + box.width / 2, box.y + box.height / 2);
}

async function openAllowance(page: Page, address: string, email: string): Promise<CheckoutFrame> {
  runCommand(['user', 'grant', email, '--credits', '700']);
  await page.goto(address);
  const checkout = await openOverlay(page);
  await enterCode(checkout, page, email);
  await expect(checkout.getByRole('heading', { name: /^Allow Harbour/ })).toBeVisible();
  return checkout;
}

/** What the app may spend, by the key it holds. */
async function readBalance(page: Page): Promise<unknown> {
  const key = await page.evaluate(() =>
    (window as unknown as { Svc: { getUserKey(): string } }).Svc.getUserKey(),
  );
  const response = await page.request.get(`${BASE_URL}/v1/credits/balance`, {
    headers: { authorization: `Bearer ${key}` },
  });
  return response.json();
}

async function countMails(page: Page, email: string): Promise<number> {
  const response = await page.request.get(`${BASE_URL}/dev/mail/messages?to=${encodeURIComponent(email)}`);
  return ((await response.json()) as unknown[]).length;
}

const ALLOW = /^Allow up to/;

test('a page that hides the checkout and lets clicks through gets no allowance @attack', async ({
  page,
  partner,
}) => {
  const email = newEmail();
  const checkout = await openAllowance(page, partner.page({ head: OPEN_ROOTS }), email);
  const allow = checkout.getByRole('button', { name: ALLOW });
  await expect(allow).toHaveText('Allow up to 100 credits');
  for (const [name, cover] of Object.entries(COVERS)) {
    await test.step(name, async () => {
      await expect(allow).toBeEnabled();
      await cover(page, { y: await allow.evaluate((button) => button.getBoundingClientRect().y) });
      await expect(allow).toBeDisabled();
      await clickAt(page, checkout, ALLOW);
      await clickAt(page, checkout, ALLOW);
      await expect(allow).toBeDisabled();
      await uncover(page);
    });
  }
  await expect(allow).toBeEnabled();
  expect(await countMails(page, email)).toBe(1);
  await expectCallbacks(page, 'onLoginCompleted');
  expect(await readBalance(page)).toMatchObject({ balance: 0, status: 'partner_not_permitted' });
});

test('clicks on the visible checkout, with the pointer drawn elsewhere, only send the user a code @attack', async ({
  page,
  partner,
}) => {
  const email = newEmail();
  const checkout = await openAllowance(page, partner.page({ head: OPEN_ROOTS }), email);
  await page.evaluate(() => document.documentElement.style.setProperty('cursor', 'none', 'important'));
  for (const name of [/^All 700/, ALLOW]) {
    await expect(checkout.getByRole('button', { name })).toBeEnabled();
    await clickAt(page, checkout, name);
  }
  await expect(checkout.getByRole('heading', { name: 'Confirm the allowance' })).toBeVisible();
  await expectCallbacks(page, 'onLoginCompleted');
  expect(await readBalance(page)).toMatchObject({ balance: 0, status: 'partner_not_permitted' });
  await confirmAllowance(page, checkout, BASE_URL, email);
  await expectCallbacks(page, 'onLoginCompleted', 'onCreditsAdded');
  expect(await readBalance(page)).toMatchObject({ balance: 700, status: 'ok' });
});

test('a covered checkout says why its button does not work, and does not sign the user out @attack', async ({
  page,
  partner,
}) => {
  await page.goto(partner.page({ head: OPEN_ROOTS }));
  const checkout = await openOverlay(page);
  await signInAt(checkout, page);
  await checkout.getByRole('button', { name: /account$/ }).click();
  const signOut = checkout.getByRole('button', { name: 'Sign out' });
  await expect(signOut).toBeEnabled();
  await restyle(page, 'opacity: 0.99');
  await expect(checkout.getByText('Something on this page covers the checkout.')).toBeVisible();
  await expectGoodAppearance(checkout, 'covered');
  await clickAt(page, checkout, /^Sign out$/);
  await expectCallbacks(page, 'onLoginCompleted');
  expect(await readBalance(page)).toMatchObject({ balance: 0 });
  await uncover(page);
  await signOut.click();
  await expectCallbacks(page, 'onLoginCompleted', 'onLoggedOut');
});

/**
 * The second click of a double-click lands on a window that the first one opened, at any moment of the first
 * 900 ms in which its button exists: all of them are tried.
 */
async function doubleClick(context: BrowserContext, text: string): Promise<void> {
  await context.addInitScript((wanted) => {
    const attack = { clicks: 0, isOver: false };
    Object.assign(window, { attack });
    let firstSeen: number | undefined;
    const timer = setInterval(() => {
      const button = [...document.querySelectorAll('button')].find(({ textContent }) =>
        textContent?.startsWith(wanted),
      );
      if (!button) return;
      firstSeen ??= performance.now();
      attack.isOver = performance.now() - firstSeen > 900;
      if (attack.isOver) return clearInterval(timer);
      attack.clicks += 1;
      button.click();
    }, 5);
  }, text);
}

const attackOn = (opened: Page): Promise<{ clicks: number }> =>
  opened
    .waitForFunction(() => {
      const { attack } = window as unknown as { attack: { isOver: boolean; clicks: number } };
      return attack.isOver && attack;
    })
    .then((found) => found.jsonValue() as Promise<{ clicks: number }>);

test.describe('a double-click whose second click lands on our window', () => {
  test('sets no allowance, although the user has just confirmed their presence @attack', async ({
    page,
    partner,
  }) => {
    const email = newEmail();
    await page.goto(partner.page({ options: { display: 'popup' } }));
    const first = await openWindow(page);
    await signInAt(first, page, email);
    await first.close();
    runCommand(['user', 'grant', email, '--credits', '700']);

    await doubleClick(page.context(), 'Allow up to');
    const opened = await openWindow(page);
    expect((await attackOn(opened)).clicks).toBeGreaterThan(10);
    await expect(opened.getByRole('heading', { name: /^Allow Harbour/ })).toBeVisible();
    expect(await readBalance(page)).toMatchObject({ balance: 0 });
    expect((await readCallbacks(page)).map(([name]) => name)).not.toContain('onCreditsAdded');
    // A user who looks at the window needs one click, and no code.
    await opened.getByRole('button', { name: 'Allow up to 100 credits' }).click();
    await expect(opened.getByRole('heading', { name: 'Allowance saved' })).toBeVisible();
    expect(await readBalance(page)).toMatchObject({ balance: 100 });
  });

  test('starts no payment, and the form with a saved card gets no click either @attack', async ({
    page,
    partner,
  }) => {
    await page.goto(partner.page({ options: { display: 'popup' } }));
    const first = await openWindow(page);
    await signInAt(first, page);
    await first.close();

    await doubleClick(page.context(), 'Continue with');
    const opened = await openWindow(page);
    expect((await attackOn(opened)).clicks).toBeGreaterThan(10);
    await expectCallbacks(page, 'onLoginCompleted', 'onLoginCompleted');
    await opened.evaluate(() => {
      // What a click at the centre of the form would reach, from its first moment on.
      const reached: string[] = [];
      let firstSeen: number | undefined;
      const timer = setInterval(() => {
        const form = document.querySelector('iframe');
        if (!form) return;
        firstSeen ??= performance.now();
        if (performance.now() - firstSeen > 900) return clearInterval(timer);
        const { left, top, width, height } = form.getBoundingClientRect();
        reached.push(document.elementFromPoint(left + width / 2, top + height / 2)?.tagName ?? '');
      }, 5);
      Object.assign(window, { reached });
    });
    await opened.getByRole('button', { name: /^Continue with/ }).click();
    await opened.frameLocator('iframe').getByRole('button', { name: 'Fill in test card' }).click();
    const reached = await opened.evaluate(() => (window as unknown as { reached: string[] }).reached);
    expect(reached.length).toBeGreaterThan(10);
    expect(reached).not.toContain('IFRAME');
  });
});
