import { cpSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { chromium, expect, type Page } from 'playwright/test';
import { findCheckout, newEmail } from './fixtures/checkout-walk';
import type { PageOptions } from './fixtures/partner-site';
import {
  buy,
  collectMints,
  expectCallbacks,
  gotoSignedIn,
  openOverlay,
  openWindow,
  type Partner,
  readCallbacks,
  readPosted,
  signInAt,
  test,
} from './fixtures/partner-world';
import { BASE_URL, runCommand } from './fixtures/server';

/** Which pages may sell, which are refused, and what an attacker gets: nothing. */

test.describe('the checkout opens', () => {
  const places: [string, (partner: Partner, pageOptions?: PageOptions) => string][] = [
    ['on *.localhost, on any port', ({ plain }, pageOptions) => plain.page('app.localhost', pageOptions)],
    ['on localhost', ({ plain }, pageOptions) => plain.page('localhost', pageOptions)],
    ['on 127.0.0.1', ({ plain }, pageOptions) => plain.page('127.0.0.1', pageOptions)],
    ['on https localhost', ({ secure }, pageOptions) => secure.page('localhost', pageOptions)],
    ['on a registered origin', ({ secure }, pageOptions) => secure.page('shop.test', pageOptions)],
    [
      'in a frame of the same origin',
      ({ secure }, pageOptions) => {
        const inner = secure.page('shop.test', pageOptions);
        return secure.page('shop.test', {
          options: null,
          body: `<iframe src="${inner}" height="600"></iframe>`,
        });
      },
    ],
  ];
  for (const [name, address] of places) {
    test(`${name}, and the key that the app holds identifies the user`, async ({ page, partner }) => {
      await gotoSignedIn(page, address(partner), partner);
      await page.evaluate(
        ([name, key]) => localStorage.setItem(name ?? '', key ?? ''),
        [`svc:${partner.publishableKey}`, partner.userKey],
      );
      const owner = page.frames().at(-1) ?? page.mainFrame();
      await owner.getByRole('button', { name: 'Buy' }).click();
      const checkout = await findCheckout(page);
      await expect(checkout.getByRole('heading', { name: 'Buy credits' })).toBeVisible();
      expect(await readPosted(page)).not.toContain('svc_sk_');
    });
  }
});

/** A refusal is the only result: no event, no key, nothing created on the server. */
async function expectRefused(page: Page, named: string, mints: string[]): Promise<void> {
  const gate = await findCheckout(page, /\/checkout\/gate/);
  await expect(gate.getByRole('heading', { name: 'Checkout isn’t available here' })).toBeVisible();
  await expect(gate.getByText(named, { exact: true })).toBeVisible();
  for (const frame of page.frames()) {
    const { received, posted } = await frame
      .evaluate(() => window as unknown as { received?: unknown[]; posted?: { data: { t: string } }[] })
      .then(() =>
        frame.evaluate(() => {
          const { received = [], posted = [] } = window as unknown as {
            received?: unknown[];
            posted?: { data: { t: string } }[];
          };
          return { received, posted: posted.map(({ data }) => Object.keys(data).sort().join()) };
        }),
      );
    expect(received).toEqual([]);
    // The gate's hello is the only message that was posted; it reveals nothing.
    expect(posted.filter((fields) => fields !== 'document,page,rid,t,v')).toEqual([]);
  }
  expect(mints).toEqual([]);
}

test.describe('the checkout is refused by name, and nothing is shared or minted', () => {
  const places: [string, (partner: Partner) => { address: string; named: string }][] = [
    ['on an unregistered host', ({ plain }) => on(plain, 'stranger.test')],
    ['on a subdomain of a registered host', ({ secure }) => on(secure, 'www.shop.test')],
    ['on a registered host with another scheme and port', ({ plain }) => on(plain, 'shop.test')],
    ['on a host that only begins like localhost', ({ plain }) => on(plain, 'localhost.stranger.test')],
  ];
  const on = (site: Partner['plain'], host: string) => ({
    address: site.page(host),
    named: site.origin(host),
  });
  for (const [name, place] of places) {
    test(name, async ({ page, context, partner }) => {
      const mints = collectMints(context);
      const { address, named } = place(partner);
      await gotoSignedIn(page, address, partner);
      await buy(page);
      await expectRefused(page, named, mints);
    });
  }

  const keys: [string, () => string, string][] = [
    ['with an unknown key', () => `svc_pk_${'x'.repeat(36)}`, 'This page uses an unknown publishable key:'],
    ['with the key of a disabled app', newDisabledKey, 'This app is paused:'],
  ];
  for (const [name, newKey, reason] of keys) {
    test(`${name}, and the reason is reported`, async ({ page, context, partner }) => {
      const mints = collectMints(context);
      await page.goto(partner.page({ options: { publishableKey: newKey() } }));
      await buy(page);
      await expectRefused(page, partner.plain.origin('app.localhost'), mints);
      const gate = await findCheckout(page, /\/checkout\/gate/);
      await expect(gate.getByText(reason)).toBeVisible();
    });
  }

  function newDisabledKey(): string {
    const { publishable_key: key } = runCommand(['partner', 'create', '--name', 'Rests', '--rate', '0']) as {
      publishable_key: string;
    };
    runCommand(['partner', 'disable', key]);
    return key;
  }

  test('on a sandboxed page, whose origin is null', async ({ page, context, partner }) => {
    const mints = collectMints(context);
    const inner = partner.page();
    const body = `<iframe sandbox="allow-scripts" src="${inner}" height="700" width="900"></iframe>`;
    await page.goto(partner.page({ options: null, body }));
    await page.frameLocator('iframe').getByRole('button', { name: 'Buy' }).click();
    await expectRefused(page, 'null', mints);
  });

  test('on a page of one origin inside a page of another, even when each alone may sell', async ({
    page,
    context,
    partner,
  }) => {
    const mints = collectMints(context);
    const inner = partner.secure.page('shop.test');
    const outer = { options: null, body: `<iframe src="${inner}" height="700" width="900"></iframe>` };
    await page.goto(partner.secure.page('localhost', outer));
    await page.frameLocator('iframe').getByRole('button', { name: 'Buy' }).click();
    await expectRefused(page, partner.secure.origin('localhost'), mints);
  });

  test('in a popup of an unregistered page', async ({ page, context, partner }) => {
    const mints = collectMints(context);
    await page.goto(partner.plain.page('stranger.test', { options: { display: 'popup' } }));
    const [popup] = await Promise.all([page.waitForEvent('popup'), buy(page)]);
    await expect(popup.getByText(partner.plain.origin('stranger.test'), { exact: true })).toBeVisible();
    expect(await readCallbacks(page)).toEqual([]);
    expect(mints).toEqual([]);
  });
});

test.describe('an attacker', () => {
  test('who forges messages, from the page or from a frame in it, is ignored', async ({ page, partner }) => {
    const ad = partner.plain.page('advert.localhost', { options: null });
    await gotoSignedIn(page, partner.page({ body: `<iframe src="${ad}" name="advert"></iframe>` }), partner);
    const checkout = await openOverlay(page);
    await expect(checkout.getByRole('heading', { name: 'Buy credits' })).toBeVisible();
    const rid = new URL(checkout.url()).hash.slice(1);
    const forged = [
      { v: 1, t: 'hello', rid, document: 'session', page: 'evil' },
      { v: 1, t: 'credits_added', type: 'purchase', balance: 9e9, credits_added: 9e9, n: 99 },
      { v: 1, t: 'signed_in', token: 'svc_st_forged', n: 99 },
      { v: 1, t: 'logged_out', n: 99 },
    ];
    const send = (messages: unknown[]) => {
      // To the page, as the checkout would; to the checkout, as the page would.
      const channel = new MessageChannel();
      for (const message of messages) {
        top?.postMessage(message, '*');
        for (let i = 0; i < (top?.frames.length ?? 0); i++) top?.frames[i]?.postMessage(message, '*');
      }
      const init = { v: 1, t: 'init', rid: (messages[0] as { rid: string }).rid };
      for (let i = 0; i < (top?.frames.length ?? 0); i++)
        top?.frames[i]?.postMessage({ ...init, publishable_key: 'x' }, '*', i === 0 ? [channel.port2] : []);
    };
    await page.frame({ name: 'advert' })?.evaluate(send, forged);
    await page.evaluate(send, forged);
    // The messages between the two continue as before.
    await checkout.getByRole('radio', { name: /\$5\b/ }).check();
    await checkout.getByRole('button', { name: /^Continue with/ }).click();
    await expectCallbacks(page, 'onCheckoutOpened');
    expect(
      await page.evaluate(() => (window as unknown as { Svc: { getUserKey(): string } }).Svc.getUserKey()),
    ).toBe(partner.userKey);
  });

  test('who frames the page of an open session sees nothing', async ({ page, context, partner }) => {
    await gotoSignedIn(page, partner.page(), partner);
    const checkout = await openOverlay(page);
    await expect(checkout.getByRole('heading', { name: 'Buy credits' })).toBeVisible();
    const target = checkout.url();
    for (const host of ['stranger.test', 'other.localhost']) {
      const attacker = await context.newPage();
      const blocked = attacker.waitForEvent('console', (message) =>
        message.text().includes('frame-ancestors'),
      );
      await attacker.goto(
        partner.plain.page(host, { options: null, body: `<iframe src="${target}"></iframe>` }),
      );
      await blocked;
      expect(await readPosted(attacker)).toBe('[]');
      await attacker.close();
    }
  });

  test('who opens the gate without the widget, in the name of a partner, is refused by name', async ({
    page,
    context,
    partner,
  }) => {
    const mints = collectMints(context);
    const init = {
      v: 1,
      t: 'init',
      rid: 'evil',
      publishable_key: partner.publishableKey,
      challenge: 'A'.repeat(43),
      currency: 'usd',
      display: 'popup',
      checkout_mode: 'embedded',
      amount: null,
      metadata: null,
      origin: partner.secure.origin('shop.test'),
    };
    const script = `
      addEventListener('message', ({ source, data }) => {
        const { port1, port2 } = new MessageChannel();
        port1.onmessage = (event) => posted.push({ port: true, data: event.data });
        source.postMessage(${JSON.stringify(init)}, '*', [port2]);
      });
      document.querySelector('#buy').onclick = () => open('${BASE_URL}/checkout/gate#evil');`;
    await page.goto(partner.plain.page('stranger.test', { options: null, script }));
    const [popup] = await Promise.all([page.waitForEvent('popup'), buy(page)]);
    await expect(popup.getByText(partner.plain.origin('stranger.test'), { exact: true })).toBeVisible();
    expect(await readPosted(page)).not.toContain('port');
    expect(mints).toEqual([]);
  });

  test('who navigates the opener away during a sign-in receives no message', async ({ page, partner }) => {
    await page.goto(partner.page({ options: { display: 'popup' } }));
    const popup = await openWindow(page);
    await expect(popup.getByLabel('E-mail')).toBeVisible();
    await page.goto(partner.plain.page('stranger.test', { options: { display: 'popup' } }));
    await popup.getByLabel('E-mail').fill('victim@example.com');
    await popup.getByRole('button', { name: 'Send code' }).click();
    await expect(popup.getByLabel('Code')).toBeVisible();
    expect(await readPosted(page)).toBe('[]');
    expect(await readCallbacks(page)).toEqual([]);
  });

  test('who sends the token of another page gets no key', async ({ page, partner }) => {
    await page.goto(partner.page());
    const token = page.waitForRequest('**/auth/token');
    const checkout = await openOverlay(page);
    await signInAt(checkout, page);
    const { token: used, code_verifier: verifier } = (await token).postDataJSON();
    const stolen = { grant_type: 'signin_token', publishable_key: partner.publishableKey, token: used };
    const response = await page.request.post(`${BASE_URL}/auth/token`, {
      headers: { origin: partner.plain.origin('thief.localhost') },
      data: { ...stolen, code_verifier: `${verifier}x` },
    });
    expect(response.status()).toBe(400);
    expect(await response.json()).toMatchObject({ error: { type: 'invalid_grant' } });
  });
});

test('a native app opens the checkout by its registered scheme', async ({ partner }) => {
  // A browser extension is such an app: its pages have an origin with the extension's scheme.
  const app = mkdtempSync(path.join(tmpdir(), 'svc-app-'));
  cpSync(path.join(import.meta.dirname, '../public/v1/svc.js'), path.join(app, 'svc.js'));
  writeFileSync(
    path.join(app, 'manifest.json'),
    JSON.stringify({ manifest_version: 3, name: 'App', version: '1' }),
  );
  writeFileSync(
    path.join(app, 'app.html'),
    '<button id="buy">Buy</button><script src="svc.js"></script><script src="app.js"></script>',
  );
  const options = { publishableKey: partner.publishableKey, baseUrl: `${BASE_URL}/checkout` };
  writeFileSync(
    path.join(app, 'app.js'),
    `window.received = []; window.posted = []; addEventListener('message', ({ data }) => posted.push(data));
      Svc.init({ ...${JSON.stringify(options)}, display: location.search.slice(1) || 'embedded', onLoginCompleted: (event) => received.push(['onLoginCompleted', event]) });
     document.querySelector('#buy').onclick = () => Svc.open();`,
  );
  const browser = await chromium.launchPersistentContext('', {
    ...(process.env.CHROMIUM_PATH ? { executablePath: process.env.CHROMIUM_PATH } : {}),
    headless: false,
    args: ['--headless=new', '--no-sandbox', `--disable-extensions-except=${app}`, `--load-extension=${app}`],
    locale: 'en-US',
  });
  try {
    const id = await findExtension(browser.pages()[0] ?? (await browser.newPage()));
    const page = await browser.newPage();
    await page.goto(`chrome-extension://${id}/app.html`);
    await page.getByRole('button', { name: 'Buy' }).click();
    const gate = await findCheckout(page, /\/checkout\/gate/);
    await expect(gate.getByText(`chrome-extension://${id}`, { exact: true })).toBeVisible();

    runCommand(['partner', 'origins', partner.publishableKey, '--add', 'chrome-extension://*']);
    await page.reload();
    await page.getByRole('button', { name: 'Buy' }).click();
    await signInAt(await findCheckout(page), page);
    await expectCallbacks(page, 'onLoginCompleted');

    // Any app on the device may claim the scheme, so a window that knows the user still waits for a click.
    await page.goto(`chrome-extension://${id}/app.html?popup`);
    const email = newEmail();
    const reopen = async () => {
      await page.evaluate(() => localStorage.clear());
      await page.reload();
      return openWindow(page);
    };
    const first = await reopen();
    await signInAt(first, page, email);
    await first.close();
    const second = await reopen();
    const masked = `w•••${email.slice(email.indexOf('@'))}`;
    await second.getByRole('button', { name: /^Use another/ }).click();
    await expect(second.getByLabel('E-mail')).toBeVisible();
    expect(await readCallbacks(page)).toEqual([]);
    expect(await readPosted(page)).not.toMatch(/svc_st_|@example/);
    await second.reload();
    await second.getByRole('button', { name: `Continue as ${masked}` }).click();
    await expect(second.getByRole('heading', { name: 'Buy credits' })).toBeVisible();
    const [login] = await expectCallbacks(page, 'onLoginCompleted');
    expect(login?.[1]?.user_key).toMatch(/^svc_sk_/);
  } finally {
    await browser.close();
    rmSync(app, { recursive: true });
  }
});

async function findExtension(page: Page): Promise<string> {
  await page.goto('chrome://extensions/');
  let id: string | undefined;
  await expect
    .poll(async () => {
      id = await page.evaluate(async () => {
        type Management = {
          developerPrivate: { getExtensionsInfo(): Promise<{ id: string; name: string }[]> };
        };
        const extensions = await (
          window as unknown as { chrome: Management }
        ).chrome.developerPrivate.getExtensionsInfo();
        // A browser may add some of its own.
        return extensions.find(({ name }) => name === 'App')?.id;
      });
      return id;
    })
    .toBeDefined();
  return id ?? '';
}
