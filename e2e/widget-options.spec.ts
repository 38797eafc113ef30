import { execFileSync } from 'node:child_process';
import { createHash } from 'node:crypto';
import { mkdtempSync, readFileSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { expect, type Page } from 'playwright/test';
import { readBlock } from '../tests/harness/blocks';
import { bundleApp } from './fixtures/app-bundle';
import { confirmAllowance, findCheckout, finish, newEmail } from './fixtures/checkout-walk';
import {
  buy,
  collectWarnings,
  enterCode,
  expectCallbacks,
  gotoSignedIn,
  openOverlay,
  type Partner,
  readCallbacks,
  SCRIPT_URL,
  signInAt,
  test,
} from './fixtures/partner-world';
import { BASE_URL, runCommand } from './fixtures/server';

/** Every option, call and callback of the script, as a partner uses them. */

type Svc = {
  Svc: {
    open(options?: object): void;
    close(): void;
    init(options: object): void;
    getUserKey(): string | null;
  };
};

async function payHosted(payment: Page): Promise<void> {
  await payment.locator('[autocomplete="cc-number"]').fill('4242 4242 4242 4242');
  await payment.locator('[autocomplete="cc-exp"]').fill('12 / 34');
  await payment.locator('[autocomplete="cc-csc"]').fill('123');
  await payment.locator('[autocomplete="cc-name"]').fill('Ada Lovelace');
  await payment.getByRole('button', { name: /^Pay/ }).click();
}

test('amount, currency, metadata and email reach the checkout; close() closes it', async ({
  page,
  partner,
}) => {
  const options = { currency: 'eur', baseUrl: `${BASE_URL}/checkout/`, metadata: { team: 'blue', seats: 3 } };
  await gotoSignedIn(page, partner.page({ options }), partner);
  const visit = page.waitForRequest('**/checkout/api/visits');
  await page.evaluate(() => void (window as unknown as Svc).Svc.open({ amount: 25 }));
  expect((await visit).postDataJSON()).toMatchObject({
    currency: 'eur',
    metadata: { team: 'blue', seats: 3 },
  });
  const checkout = page.frames()[1];
  await expect(checkout?.getByRole('radio', { name: /€25\b/ }) ?? page.locator('none')).toBeChecked();
  await page.evaluate(() => (window as unknown as Svc).Svc.close());
  await expect.poll(() => page.frames().length).toBe(1);
  expect(await readCallbacks(page)).toEqual([]);
});

test('checkoutMode new_tab: the payment opens in a tab, and the page is notified when it is done', async ({
  page,
  partner,
}) => {
  await gotoSignedIn(page, partner.page({ options: { checkoutMode: 'new_tab' } }), partner);
  const checkout = await openOverlay(page);
  await checkout.getByRole('radio', { name: /\$5\b/ }).check();
  await checkout.getByRole('button', { name: /^Continue with/ }).click();
  const [payment] = await Promise.all([
    page.waitForEvent('popup'),
    checkout.getByRole('link', { name: 'Open payment' }).click(),
  ]);
  await payHosted(payment);
  const received = await expectCallbacks(page, 'onCheckoutOpened', 'onCreditsAdded');
  expect(received[0]?.[1]).toEqual({ session_id: expect.stringMatching(/^cks_/), user_key: partner.userKey });
  await finish(checkout);
  await expectCallbacks(page, 'onCheckoutOpened', 'onCreditsAdded', 'onComplete');
});

test('checkoutMode manual: the app receives the URL and opens it itself', async ({
  page,
  context,
  partner,
}) => {
  await gotoSignedIn(page, partner.page({ options: { checkoutMode: 'manual' } }), partner);
  const checkout = await openOverlay(page);
  await checkout.getByRole('radio', { name: /\$5\b/ }).check();
  await checkout.getByRole('button', { name: /^Continue with/ }).click();
  const [[, opened] = []] = await expectCallbacks(page, 'onCheckoutOpened');
  const payment = await context.newPage();
  await payment.goto(String(opened?.checkout_url));
  await payHosted(payment);
  await expectCallbacks(page, 'onCheckoutOpened', 'onCreditsAdded');
});

test('the deprecated callbacks still fire, after onCreditsAdded, without type, with one warning', async ({
  page,
  partner,
}) => {
  const warnings = collectWarnings(page);
  const email = newEmail();
  // Credits bought elsewhere, so that there is something to allow.
  runCommand(['user', 'grant', email, '--credits', '700']);
  const record = (name: string) => `${name}: (event) => received.push(['${name}', event])`;
  const callbacks = `${record('onPurchaseCompleted')}, ${record('onPermissionUpdated')}`;
  await page.goto(partner.page({ callbacks }));
  const checkout = await openOverlay(page);
  await enterCode(checkout, page, email);
  await checkout.getByRole('button', { name: 'Allow up to 100 credits' }).click();
  await confirmAllowance(page, checkout, BASE_URL, email);
  const received = await expectCallbacks(page, 'onLoginCompleted', 'onCreditsAdded', 'onPermissionUpdated');
  const { type, ...rest } = received[1]?.[1] ?? {};
  expect(type).toBe('permission');
  expect(received[2]?.[1]).toEqual(rest);
  expect(warnings).toEqual([expect.stringContaining('deprecated')]);
});

test('invalid options are reported through onError, one by one, and never thrown', async ({
  page,
  partner,
}) => {
  const errors: Error[] = [];
  page.on('pageerror', (error) => errors.push(error));
  const options = {
    publishableKey: 5,
    display: 'billboard',
    currency: 'gbp',
    baseUrl: 'ftp://x',
    metadata: { a: {} },
  };
  await page.goto(partner.page({ options }));
  await buy(page);
  await page.evaluate(() => {
    const { Svc } = window as unknown as Svc;
    Svc.open({ amount: 'many' });
    Svc.init(null as never);
  });
  const received = await expectCallbacks(page, ...Array(7).fill('onError'));
  const messages = received.map(
    ([, event]) => (event?.error as { message: string } | undefined)?.message ?? '',
  );
  for (const name of ['publishableKey', 'display', 'currency', 'baseUrl', 'metadata'])
    expect(messages.some((message) => message.startsWith(name))).toBe(true);
  expect(errors).toEqual([]);
  expect(page.frames()).toHaveLength(1);
});

test('a misspelt option is named in the console', async ({ page, partner }) => {
  const warning = page.waitForEvent('console', (message) => message.text().startsWith('[svc]'));
  await page.goto(partner.page({ options: { onSuccess: 'misspelt' } }));
  expect((await warning).text()).toContain('"onSuccess"');
  expect(await readCallbacks(page)).toEqual([]);
});

test('a second init() with the same options changes nothing; with others it is ignored with a warning', async ({
  page,
  partner,
}) => {
  const warnings = collectWarnings(page);
  const script = `
    const known = { ...listeners, publishableKey: '${partner.publishableKey}' };
    Svc.init(known); window.silent = true; Svc.init({ ...known, currency: 'eur' });`;
  await page.goto(partner.page({ script }));
  expect(warnings).toEqual([expect.stringContaining('again with different options')]);
});

test('a second init() replaces the callbacks, whose page may be gone', async ({ page, partner }) => {
  const script = `
    const key = { publishableKey: '${partner.publishableKey}' };
    Svc.init({ ...listeners, ...key, onLoginCompleted() { received.push(['of before']) } });
    Svc.init({ ...key, onLoginCompleted() { received.push(['of now']) } });`;
  const warnings = collectWarnings(page);
  await page.goto(partner.page({ script }));
  const checkout = await openOverlay(page);
  await signInAt(checkout, page);
  await checkout.getByRole('button', { name: /^Continue with/ }).click();
  await expectCallbacks(page, 'of now', 'onCheckoutOpened');
  expect(warnings).toEqual([]);
});

test('a callback that throws stops neither the others nor the checkout', async ({ page, partner }) => {
  const callbacks = `onLoginCompleted() { received.push(['onLoginCompleted']); throw new Error('host') }`;
  await page.goto(partner.page({ callbacks }));
  const checkout = await openOverlay(page);
  await signInAt(checkout, page);
  await checkout.getByRole('button', { name: /^Continue with/ }).click();
  await expectCallbacks(page, 'onLoginCompleted', 'onCheckoutOpened');
});

test('logging out in the checkout revokes the key and notifies the page', async ({ page, partner }) => {
  await page.goto(partner.page());
  const checkout = await openOverlay(page);
  await signInAt(checkout, page);
  const key = await page.evaluate(() => (window as unknown as Svc).Svc.getUserKey());
  await checkout.getByRole('button', { name: /account$/ }).click();
  await checkout.getByRole('button', { name: 'Sign out' }).click();
  await expectCallbacks(page, 'onLoginCompleted', 'onLoggedOut');
  expect(await page.evaluate(() => (window as unknown as Svc).Svc.getUserKey())).toBeNull();
  const balance = await page.request.get(`${BASE_URL}/v1/credits/balance`, {
    headers: { authorization: `Bearer ${key}` },
  });
  expect(balance.status()).toBe(401);
});

test('a key that does not work, or belongs to another app, is dropped silently', async ({
  page,
  partner,
}) => {
  const other = runCommand(['partner', 'create', '--name', 'Other', '--rate', '0']) as {
    publishable_key: string;
  };
  const address = partner.page({ options: { publishableKey: other.publishable_key } });
  for (const key of [partner.userKey, `svc_sk_${'x'.repeat(49)}`]) {
    await gotoSignedIn(page, address, {
      ...partner,
      publishableKey: other.publishable_key,
      userKey: key,
    } as Partner);
    await page.evaluate(
      ([name, value]) => localStorage.setItem(name ?? '', value ?? ''),
      [`svc:${other.publishable_key}`, key],
    );
    const checkout = await openOverlay(page);
    await expect(checkout.getByLabel('E-mail')).toBeVisible();
    await expect.poll(() => page.evaluate(() => (window as unknown as Svc).Svc.getUserKey())).toBeNull();
    expect(await readCallbacks(page)).toEqual([]);
  }
});

test('the script and the button of the guide open the checkout as they are', async ({ page, partner }) => {
  const body = readBlock('docs/widget.md', 'onLoginCompleted: (')
    .replaceAll('https://YOUR-SERVICE', BASE_URL)
    .replaceAll('svc_pk_…', partner.publishableKey);
  await page.goto(partner.page({ options: null, body }));
  await page.getByRole('button', { name: 'Buy credits' }).click();
  await expect((await findCheckout(page)).getByLabel('E-mail')).toBeVisible();
});

test('the snippet in the guide queues calls made before the script has loaded', async ({ page, partner }) => {
  const snippet = /<script>\n([^<]*)<\/script>/.exec(readBlock('docs/widget.md', 'window.Svc'))?.[1];
  expect(snippet).toBeDefined();
  const early = `${snippet}
    Svc.init({ publishableKey: '${partner.publishableKey}' });
    document.querySelector('#buy').addEventListener('click', Svc.open);
    const key = Svc.getUserKey();
    document.querySelector('#buy').click();
    setTimeout(() => document.body.append(Object.assign(document.createElement('script'), { src: '${SCRIPT_URL}' })), 300);
    document.title = String(key);`;
  await gotoSignedIn(page, partner.page({ options: null, script: early }), partner);
  expect(await page.title()).toBe(partner.userKey);
  await expect.poll(() => page.frames().some((frame) => frame.url().includes('/checkout/ckv_'))).toBe(true);
  // A function of the snippet that the page kept still works.
  await page.evaluate(() => (window as unknown as Svc).Svc.close());
  await expect.poll(() => page.frames().length).toBe(1);
  await buy(page);
  await expect.poll(() => page.frames().length).toBe(2);
});

test('every file in the guide is served with its longest cache lifetime, and npm installs the package', async ({
  request,
}) => {
  const guide = readFileSync(path.join(import.meta.dirname, '../docs/widget.md'), 'utf8');
  const named = [...guide.matchAll(/\/v1\/[\w./-]*svc[\w./-]*/g)].map(([address]) => address);
  const pinned = (await (await request.get(`${BASE_URL}/v1/svc.json`)).json()) as {
    path: string;
    package: string;
    integrity: string;
  };
  expect(named).toContain(pinned.package);
  for (const address of new Set([...named, pinned.path])) {
    const response = await request.get(BASE_URL + address);
    expect([address, response.status()]).toEqual([address, 200]);
    const { 'cache-control': cacheControl, 'access-control-allow-origin': allowedOrigin } =
      response.headers();
    expect([cacheControl?.includes('immutable'), allowedOrigin]).toEqual([/\d/.test(address.slice(3)), '*']);
  }
  const script = await (await request.get(BASE_URL + pinned.path)).body();
  expect(`sha384-${createHash('sha384').update(script).digest('base64')}`).toBe(pinned.integrity);

  const folder = mkdtempSync(path.join(tmpdir(), 'svc-checkout-'));
  execFileSync('npm', ['install', '--prefix', folder, '--no-audit', '--no-fund', BASE_URL + pinned.package], {
    stdio: 'pipe',
  });
  const { loadSvc } = await import(path.join(folder, 'node_modules/svc-checkout/dist/index.js'));
  expect(await loadSvc({ src: 'https://pay.example.com/v1/svc.js' })).toBeNull();
  rmSync(folder, { recursive: true });
});

test('the React hook loads one script, survives strict mode and unmounting, and follows the user', async ({
  page,
  partner,
}) => {
  await page.goto(
    partner.page({ options: null, body: '<div id="app"></div>', script: await bundleApp(reactApp(partner)) }),
  );
  const app = page.locator('#app');
  await expect(app.getByText('nobody, received 0')).toBeVisible();
  await app.getByRole('button', { name: 'Remount' }).click();
  await app.getByRole('button', { name: 'Credits' }).click();
  await signInAt(await findCheckout(page), page);
  await expect(app.getByText('somebody, received 1')).toBeVisible();
  const other = await page.context().newPage();
  await other.goto(page.url());
  await other.evaluate(() => localStorage.clear());
  await expect(app.getByText('nobody, received 1')).toBeVisible();
  expect(await page.locator(`script[src="${SCRIPT_URL}"]`).count()).toBe(1);
});

const reactApp = ({ publishableKey }: Partner): string => `
  import { StrictMode, useState } from 'react';
  import { createRoot } from 'react-dom/client';
  import { useSvc } from 'svc-checkout/react.js';

  function Buy() {
    const [received, setReceived] = useState(0);
    const { svc, open, userKey } = useSvc({
      src: '${SCRIPT_URL}',
      publishableKey: '${publishableKey}',
      onLoginCompleted: () => setReceived(received + 1),
    });
    return (
      <>
        <button disabled={!svc} onClick={() => open()}>Credits</button>
        {svc && <p>{userKey ? 'somebody' : 'nobody'}, received {received}</p>}
      </>
    );
  }

  function App() {
    const [time, setTime] = useState(0);
    return (
      <>
        <button onClick={() => setTime(time + 1)}>Remount</button>
        <Buy key={time} />
      </>
    );
  }
  createRoot(document.querySelector('#app')).render(<StrictMode><App /></StrictMode>);`;
