import { readFile } from 'node:fs/promises';
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import path from 'node:path';
import { expect, type Request } from 'playwright/test';
import { expectAccessible } from './fixtures/accessibility';
import {
  chooseAmount,
  demoAddress,
  findCheckout,
  finish,
  newEmail,
  openCheckout,
  payByCard,
  readCode,
  signIn,
  test,
} from './fixtures/checkout-walk';

// With motion, which the other files do without.
test.use({ locale: 'en-US', reducedMotion: 'no-preference' });

test('a user buys credits in a partner app and spends some on a streamed response', async ({
  page,
  service,
}) => {
  await page.goto(demoAddress(service));
  await expect(page.getByRole('button', { name: 'Buy credits' })).toBeEnabled();
  await expectAccessible(page);
  const checkout = await openCheckout(page);
  await signIn(page, checkout, service, newEmail());
  await chooseAmount(checkout, /\$10\b(?!0)/);
  await payByCard(checkout, '4242 4242 4242 4242');
  await expect(checkout.getByRole('heading', { name: '1,000 credits added' })).toBeVisible();
  await finish(checkout);

  await expect(page.getByTestId('balance')).toContainText('1,000');
  await expect(page.getByTestId('user-key')).toHaveText(/^svc_sk_….{4}$/);

  await page.getByLabel('Your prompt').fill('Tell me a story about a lighthouse');
  await page.getByRole('button', { name: 'Send' }).click();
  const response = page.getByTestId('response');
  await expect(response).toHaveText(/\w+/);
  // More text follows the first words: it streams.
  const begun = (await response.textContent()) ?? '';
  await expect.poll(async () => (await response.textContent())?.length).toBeGreaterThan(begun.length);

  await expect(page.getByTestId('cost')).toContainText(/cost \d+(\.\d+)? credits/, { timeout: 60_000 });
  const cost = Number(/cost ([\d.]+)/.exec((await page.getByTestId('cost').textContent()) ?? '')?.[1]);
  const balance = Number.parseFloat(
    ((await page.getByTestId('balance').textContent()) ?? '').replaceAll(',', ''),
  );
  expect(cost).toBeGreaterThan(0);
  expect(balance).toBeLessThan(1000);
  expect(Math.abs(balance - (1000 - cost))).toBeLessThan(0.011);

  await page.getByLabel('Model').selectOption('sandbox/paint');
  await page.getByRole('button', { name: 'Send' }).click();
  const picture = page.getByRole('img', { name: 'What the model made of the prompt' });
  await expect(picture).toBeVisible();
  expect(await picture.evaluate((image: HTMLImageElement) => image.naturalWidth)).toBe(256);
  await expect(page.getByTestId('cost')).toContainText('image tokens');

  await page.getByLabel('Model').selectOption('sandbox/speak');
  await page.getByRole('button', { name: 'Send' }).click();
  const speech = page.getByLabel('The prompt, read aloud');
  await expect.poll(() => speech.evaluate((audio: HTMLAudioElement) => audio.duration)).toBeGreaterThan(1);
  await expect(page.getByTestId('cost')).toContainText('characters');
  await expectAccessible(page);
});

const MOST_BYTES = 200_000;

test('the checkout opens with at most 200 kB: one script, the texts of one language, one style and one font', async ({
  page,
  service,
}) => {
  await page.goto(demoAddress(service));
  const requests: Request[] = [];
  page.on('requestfinished', (request) => request.frame() !== page.mainFrame() && requests.push(request));
  const checkout = await openCheckout(page);
  await expect(checkout.getByLabel('E-mail')).toBeFocused();
  await page.waitForLoadState('networkidle');
  const sizes = await Promise.all(requests.map((request) => request.sizes()));
  const bytes = sizes.map(
    ({ responseBodySize, responseHeadersSize }) => responseBodySize + responseHeadersSize,
  );
  expect(bytes.reduce((sum, size) => sum + size, 0)).toBeLessThan(MOST_BYTES);
  const files = new Set(requests.map((request) => new URL(request.url()).pathname));
  expect(
    [...files]
      .filter((file) => !file.startsWith('/checkout/'))
      .map((file) => path.extname(file))
      .sort(),
  ).toEqual(['.css', '.js', '.js', '.woff2']);
});

test('the page receives the login, the opened payment, the credits and the close, once each', async ({
  page,
  service,
}) => {
  await page.goto(demoAddress(service));
  const checkout = await openCheckout(page);
  await signIn(page, checkout, service, newEmail());
  await chooseAmount(checkout, /\$5\b/);
  await payByCard(checkout, '4242 4242 4242 4242');
  await finish(checkout);
  await page.getByText('Widget callbacks').click();
  await expect(page.locator('details li')).toHaveText([
    /onLoginCompleted .*"balance":0/,
    /onCheckoutOpened .*"session_id":"cks_/,
    /onCreditsAdded .*"type":"purchase","balance":500,"credits_added":500/,
    /onComplete .*"balance":500,"credits_added":500/,
  ]);
});

test('a user whose key the app holds is recognised after a reload and can buy without signing in', async ({
  page,
  service,
}) => {
  await page.goto(demoAddress(service));
  const first = await openCheckout(page);
  await signIn(page, first, service, newEmail());
  await page.reload();
  const second = await openCheckout(page);
  await expect(second.getByRole('heading', { name: 'Buy credits' })).toBeVisible();
});

test('a declined card is shown in the form and reported to the page, and another card pays', async ({
  page,
  service,
}) => {
  await page.goto(demoAddress(service));
  const checkout = await openCheckout(page);
  await signIn(page, checkout, service, newEmail());
  await chooseAmount(checkout, /\$5\b/);
  await payByCard(checkout, '4000 0000 0000 0002');
  await expect(page.locator('summary')).toContainText('(3)');
  await payByCard(checkout, '4242 4242 4242 4242');
  await expect(checkout.getByRole('heading', { name: '500 credits added' })).toBeVisible();
  await expect(page.locator('details li')).toHaveText([
    /onLoginCompleted/,
    /onCheckoutOpened/,
    /onPurchaseError .*payment_declined/,
    /onCreditsAdded/,
  ]);
});

test('a wrong code shows an error, and the right one, pasted with a space, signs in', async ({
  page,
  service,
}) => {
  const email = newEmail();
  await page.goto(demoAddress(service));
  const checkout = await openCheckout(page);
  await checkout.getByLabel('E-mail').fill(email);
  await page.keyboard.press('Enter');
  const code = await readCode(page, service, email);
  await checkout.getByLabel('Code').fill(code === '000000' ? '000001' : '000000');
  await expect(checkout.getByText('The code is incorrect')).toBeVisible();
  await checkout.getByLabel('Code').fill(`${code.slice(0, 3)} ${code.slice(3)}`);
  await expect(checkout.getByRole('heading', { name: 'Buy credits' })).toBeVisible();
});

test('Escape inside the checkout closes it and restores the focus and the scrollbar', async ({
  page,
  service,
}) => {
  await page.goto(demoAddress(service));
  const styleBefore = await page.locator('html').getAttribute('style');
  const checkout = await openCheckout(page);
  await expect(checkout.getByLabel('E-mail')).toBeFocused();
  await page.keyboard.press('Escape');
  await expect.poll(() => page.frames().length).toBe(1);
  await expect(page.getByRole('button', { name: 'Buy credits' })).toBeFocused();
  expect(await page.locator('html').getAttribute('style')).toBe(styleBefore);
});

test('closing while the payment form is open requires confirmation', async ({ page, service }) => {
  await page.goto(demoAddress(service));
  const checkout = await openCheckout(page);
  await signIn(page, checkout, service, newEmail());
  await chooseAmount(checkout, /\$5\b/);
  await expect(checkout.frameLocator('iframe').locator('[autocomplete="cc-number"]')).toBeVisible();
  await checkout.getByRole('heading', { name: 'Payment' }).click();
  await page.keyboard.press('Escape');
  const question = checkout.getByRole('heading', { name: 'Leave this payment?' });
  await expect(question).toBeVisible();
  await checkout.getByRole('button', { name: 'Continue paying' }).click();
  await expect(question).toBeHidden();
  await page.keyboard.press('Escape');
  await checkout.getByRole('button', { name: 'Leave' }).click();
  await expect.poll(() => page.frames().length).toBe(1);
});

test('an unregistered origin is refused by name and learns nothing', async ({ page, service }) => {
  await page.goto(demoAddress(service));
  const key = /svc_pk_[0-9A-Za-z]+/.exec(await page.content())?.[0] ?? '';
  expect(key).not.toBe('');
  const requests: string[] = [];
  page.on('request', (request) => requests.push(`${request.method()} ${new URL(request.url()).pathname}`));

  // 127.0.0.2 is this machine too, but not one of the addresses that are always allowed.
  const stranger = await servePage({ __SCRIPT__: `${service}/v1/svc.js`, __KEY__: key }, '127.0.0.2');
  try {
    await page.goto(stranger.url);
    await page.getByRole('button', { name: 'Buy' }).click();
    const gate = await findCheckout(page, /\/checkout\/gate/);
    await expect(gate.getByText(stranger.url, { exact: true })).toBeVisible();
    // The gate's hello is the only message that was posted; it contains no secret.
    const posted = await page.evaluate(() => (window as unknown as { posted: { t: string }[] }).posted);
    expect(posted.map(({ t }) => t)).toEqual(['hello']);
    expect(await page.evaluate(() => (window as unknown as { received: unknown[] }).received)).toEqual([]);
    expect(requests.filter((request) => /auth|ckv_/.test(request))).toEqual([]);
    expect(await page.evaluate(() => Object.keys(localStorage))).toEqual([]);
  } finally {
    await stranger.close();
  }
});

async function servePage(values: Record<string, string>, host: string) {
  let html = await readFile(new URL('./fixtures/partner-page.html', import.meta.url), 'utf8');
  for (const [name, value] of Object.entries(values)) html = html.replaceAll(name, value);
  const server = createServer((_request, response) =>
    response.setHeader('content-type', 'text/html').end(html),
  );
  await new Promise<void>((resolve) => server.listen(0, host, resolve));
  return {
    url: `http://${host}:${(server.address() as AddressInfo).port}`,
    close: () =>
      new Promise<void>((resolve) => server.close(() => resolve()) && server.closeAllConnections()),
  };
}
