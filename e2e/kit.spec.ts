import path from 'node:path';
import { expect, type Page } from 'playwright/test';
import { createElement } from 'react';
import { renderToString } from 'react-dom/server';
import { readBlock } from '../tests/harness/blocks';
import { expectAccessibleInLightAndDark } from './fixtures/accessibility';
import { bundleApp } from './fixtures/app-bundle';
import { chooseAmount, findCheckout, finish, payByCard } from './fixtures/checkout-walk';
import { gotoSignedIn, type Partner, signInAt, test } from './fixtures/partner-world';
import { BASE_URL } from './fixtures/server';

/** The React components and `createSvcFetch` of the package, in pages of a partner. */

type Window = { ask(): Promise<number>; asked: Promise<number> | undefined };

const PARTS = (partner: Partner) => `
  import { StrictMode } from 'react';
  import { createRoot, hydrateRoot } from 'react-dom/client';
  import { Balance, BuyCredits, PriceEstimate, SignIn, SpendToday, SvcProvider, useSvc } from 'svc-checkout/react.js';
  import { createSvcFetch } from 'svc-checkout/fetch.js';

  const service = '${BASE_URL}';
  const publishableKey = '${partner.publishableKey}';
  const options = { service, publishableKey };
  const send = (fetch) => fetch(service + '/v1/chat/completions', {
    method: 'POST',
    headers: { 'content-type': 'application/json' },
    body: JSON.stringify({ model: 'sandbox/echo', messages: [{ role: 'user', content: 'hi' }], max_tokens: 20 }),
  });
  function Ask() {
    const { fetch, status } = useSvc();
    const click = () => { window.asked = send(fetch).then(async (got) => (await got.text(), got.status)); };
    return <><button onClick={click}>Ask</button><p id="status">{status}</p></>;
  }
  function Widgets() {
    return (
      <section aria-label="Credits">
        <SignIn /> <BuyCredits className="mine" /> <Balance /> <SpendToday />
        <p id="price"><PriceEstimate model="sandbox/echo" prompt="hi" outputTokens={20} /></p>
        <Ask />
      </section>
    );
  }
  const mount = (app) => createRoot(document.querySelector('#app')).render(<StrictMode>{app}</StrictMode>);
`;

async function openApp(page: Page, partner: Partner, code: string, { key = false, body = '' } = {}) {
  const script = await bundleApp(PARTS(partner) + code);
  const address = partner.page({ options: null, body: `<div id="app">${body}</div>`, script });
  await (key ? gotoSignedIn(page, address, partner) : page.goto(address));
}

const ONE_PROVIDER = 'mount(<SvcProvider {...options}><Widgets /></SvcProvider>);';

/** What the package writes to the console. */
function collectLines(page: Page): string[] {
  const lines: string[] = [];
  page.on('console', (message) => {
    if (message.text().startsWith('[svc]')) lines.push(message.text());
  });
  return lines;
}

function collectRequests(page: Page): string[] {
  const names: string[] = [];
  page.on('request', (request) => {
    if (request.method() === 'POST' && request.url().endsWith('/v1/chat/completions'))
      names.push(request.headers()['idempotency-key'] ?? '');
  });
  return names;
}

const askedStatus = (page: Page) => page.evaluate(() => (window as unknown as Window).asked);

test('a user signs in, buys at the 402, gets the response, and sees the balance and the spending change', async ({
  page,
  partner,
}) => {
  const lines = collectLines(page);
  const sent = collectRequests(page);
  await openApp(page, partner, ONE_PROVIDER);
  await expect(page.locator('#price')).toHaveText(/^≈ [\d.<]+ credits?$|^≈ < 0.01 credits$/);
  await expect(page.getByRole('button', { name: 'Sign in' })).toHaveCount(2);
  await expectAccessibleInLightAndDark(page);

  await page.getByRole('button', { name: 'Ask' }).click();
  const signIn = await findCheckout(page);
  await signInAt(signIn, page);
  // Signed in without credits: the same checkout goes on to the purchase.
  await chooseAmount(signIn, /\$5\b/);
  await payByCard(signIn, '4242 4242 4242 4242');
  await expect(signIn.getByRole('heading', { name: '500 credits added' })).toBeVisible();
  await finish(signIn);

  expect(await askedStatus(page)).toBe(200);
  expect(sent).toHaveLength(1);
  await expect(page.locator('#status')).toHaveText('signed_in');
  await expect(page.getByRole('button', { name: 'Buy credits' })).toHaveCount(1);
  await expect(page.getByRole('status').first()).toHaveText(/^(499\.\d+|500) credits$/);
  await expect(page.getByRole('status').last()).toHaveText(/^(< 0.01|0\.\d+) credits today$/);
  await expectAccessibleInLightAndDark(page);
  expect(lines).toEqual([]);
});

test('the script and the button of the skill open the checkout as they are', async ({ page, partner }) => {
  const body = readBlock('widget/skill.md', 'id="buy"')
    // The page around it has a button with this id.
    .replaceAll(/(["'])buy\1/g, '$1pay$1')
    .replaceAll('https://YOUR-SERVICE', BASE_URL)
    .replaceAll('svc_pk_…', partner.publishableKey);
  await page.goto(partner.page({ options: null, body }));
  await page.getByRole('button', { name: 'Buy credits' }).click();
  await expect((await findCheckout(page)).getByLabel('E-mail')).toBeVisible();
});

test('a checkout that is closed half-way leaves the 402, and the request is sent once', async ({
  page,
  partner,
}) => {
  const sent = collectRequests(page);
  await openApp(page, partner, ONE_PROVIDER, { key: true });
  await expect(page.locator('#status')).toHaveText('signed_in');
  await page.getByRole('button', { name: 'Ask' }).click();
  await findCheckout(page);
  // Before the page in the frame listens, the overlay does.
  await page.keyboard.press('Escape');
  expect(await askedStatus(page)).toBe(402);
  expect(sent).toHaveLength(1);
});

test('a key that was revoked elsewhere signs the components out, with one line, and the next click signs in', async ({
  page,
  partner,
}) => {
  const lines = collectLines(page);
  await openApp(page, partner, ONE_PROVIDER);
  await page.getByRole('button', { name: 'Sign in' }).first().click();
  const checkout = await findCheckout(page);
  await signInAt(checkout, page);
  await page.keyboard.press('Escape');
  await expect(page.locator('#status')).toHaveText('signed_in');
  const key = await page.evaluate((name) => localStorage.getItem(name), `svc:${partner.publishableKey}`);
  const revoked = await page.request.post(`${BASE_URL}/v1/keys/revoke`, {
    headers: { authorization: `Bearer ${key}` },
  });
  expect(revoked.status()).toBe(200);
  await page.evaluate(() => window.dispatchEvent(new Event('focus')));
  await expect(page.locator('#status')).toHaveText('signed_out');
  await expect(page.getByRole('status')).toHaveCount(0);
  expect(lines).toEqual([expect.stringContaining('signs the user in again')]);
  await page.getByRole('button', { name: 'Sign in' }).first().click();
  await expect((await findCheckout(page)).getByLabel('E-mail')).toBeVisible();
});

test('a script that does not load shows a button to try again, and trying again works', async ({
  page,
  partner,
}) => {
  const lines = collectLines(page);
  await page.route('**/v1/svc.js', (route) => route.abort());
  await openApp(page, partner, 'mount(<SvcProvider {...options}><BuyCredits /><Ask /></SvcProvider>);');
  await expect(page.getByRole('alert')).toHaveText('The checkout is not available.');
  await expect(page.locator('#status')).toHaveText('error');
  expect(lines).toEqual([expect.stringContaining('could not be loaded from')]);
  await page.unroute('**/v1/svc.js');
  await page.getByRole('button', { name: 'Try again' }).click();
  await findCheckout(page);
  await expect(page.getByRole('alert')).toHaveCount(0);
});

test('two providers of one app share a widget; one of a second app says that a page has one', async ({
  page,
  partner,
}) => {
  const lines = collectLines(page);
  await openApp(
    page,
    partner,
    `mount(
      <>
        <SvcProvider {...options}><BuyCredits>One</BuyCredits><Ask /></SvcProvider>
        <SvcProvider {...options}><SignIn>Two</SignIn></SvcProvider>
        <SvcProvider service={service} publishableKey="svc_pk_anotherApp1234"><BuyCredits>Three</BuyCredits></SvcProvider>
      </>);`,
  );
  await expect(page.locator('#status')).toHaveText('signed_out');
  await expect(page.getByRole('alert')).toHaveCount(1);
  expect(lines).toEqual([expect.stringContaining('already uses another publishableKey')]);
  expect(await page.locator(`script[src="${BASE_URL}/v1/svc.js"]`).count()).toBe(1);
});

test('a page that was rendered on a server is hydrated without a difference', async ({ page, partner }) => {
  const { BuyCredits, Balance, SvcProvider } = await import(
    path.join(import.meta.dirname, '../widget/loader/dist/react.js')
  );
  const options = { service: BASE_URL, publishableKey: partner.publishableKey };
  const body = renderToString(
    createElement(SvcProvider, options, createElement(BuyCredits), createElement(Balance)),
  );
  const errors: string[] = [];
  page.on('console', (message) => message.type() === 'error' && errors.push(message.text()));
  page.on('pageerror', ({ message }) => errors.push(message));
  const code = `hydrateRoot(document.querySelector('#app'), <SvcProvider {...options}><BuyCredits /><Balance /></SvcProvider>);`;
  await openApp(page, partner, code, { key: true, body });
  await expect(page.getByRole('status')).toHaveText(/credits$/);
  expect(errors).toEqual([]);
});

test('an invalid publishable key opens nothing, and one line names it', async ({ page, partner }) => {
  const lines = collectLines(page);
  const code =
    'mount(<SvcProvider service={service} publishableKey="pk"><BuyCredits /><Ask /></SvcProvider>);';
  await openApp(page, partner, code);
  await expect(page.locator('#status')).toHaveText('signed_out');
  await page.getByRole('button', { name: 'Sign in' }).click();
  await page.getByRole('button', { name: 'Ask' }).click();
  expect(await askedStatus(page)).toBe(401);
  expect(page.frames()).toHaveLength(1);
  expect(lines.every((line) => line.includes('publishableKey'))).toBe(true);
});

test('with an older script, a 402 opens the checkout and is returned, and one line says what to load', async ({
  page,
  partner,
}) => {
  const lines = collectLines(page);
  const old = `window.Svc = { version: '0.9.0', init() {}, close() {}, open() { document.title = 'opened'; },
    getUserKey: () => '${partner.userKey}' };`;
  const code = `${old}
    window.asked = send(createSvcFetch(options)).then(({ status }) => status);`;
  await openApp(page, partner, code);
  expect(await askedStatus(page)).toBe(402);
  expect(await page.title()).toBe('opened');
  expect(lines).toEqual([expect.stringContaining('0.9.0 is older than this package')]);
});

test('an unregistered origin shows the refusal, the 401 is returned, and one line says what to register', async ({
  page,
  partner,
}) => {
  const lines = collectLines(page);
  const script = await bundleApp(PARTS(partner) + ONE_PROVIDER);
  const body = '<div id="app"></div>';
  await page.goto(partner.secure.page('other.test', { options: null, body, script }));
  await page.getByRole('button', { name: 'Ask' }).click();
  const gate = await findCheckout(page, /\/checkout\/gate/);
  await expect(gate.getByText('https://other.test')).toBeVisible();
  await page.evaluate(() => (window as unknown as { Svc: { close(): void } }).Svc.close());
  expect(await askedStatus(page)).toBe(401);
  expect(lines).toEqual([expect.stringContaining('register that origin')]);
});

test('the page of the quickstart signs in, buys at the 402, answers, and shows the balance', async ({
  page,
  partner,
}) => {
  await page.goto('/docs');
  const shown = await page.locator('pre', { hasText: '<!doctype html>' }).textContent();
  const html = (shown ?? '').replaceAll('svc_pk_…', partner.publishableKey);
  expect(html).toContain(`${BASE_URL}/v1/svc.js`);
  await page.goto(partner.page({ options: null, body: html }));
  await page.getByLabel('Question').fill('Tell me about the sea');
  await page.getByRole('button', { name: 'Send' }).click();
  const checkout = await findCheckout(page);
  await signInAt(checkout, page);
  await chooseAmount(checkout, /\$5\b/);
  await payByCard(checkout, '4242 4242 4242 4242');
  await finish(checkout);
  await expect(page.locator('#answer')).toHaveText(/\w+ \w+ .{60}/s);
  await expect(page.getByRole('status')).toHaveText(/^499\.\d+ credits$/);
});

// Last: from here on, the user of the app has credits.
test('after a purchase at the 402, the same request is sent again with the same Idempotency-Key', async ({
  page,
  partner,
}) => {
  const sent = collectRequests(page);
  await openApp(page, partner, ONE_PROVIDER, { key: true });
  await expect(page.locator('#status')).toHaveText('signed_in');
  await page.getByRole('button', { name: 'Ask' }).click();
  const checkout = await findCheckout(page);
  await chooseAmount(checkout, /\$5\b/);
  await payByCard(checkout, '4242 4242 4242 4242');
  await expect(checkout.getByRole('heading', { name: '500 credits added' })).toBeVisible();
  await finish(checkout);
  expect(await askedStatus(page)).toBe(200);
  expect(sent).toEqual([sent[0], sent[0]]);
  expect(sent[0]).toMatch(/^svc-/);
});
