import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { expect, type Page } from 'playwright/test';
import { YEAR_APP, YEAR_CANARY, YEAR_OWNER } from '../tests/reports/year/people';
import { chooseAmount, findCheckout, newEmail, payByCard, signIn, test } from './fixtures/checkout-walk';
import { expectAccessibleLayout, expectRecovery, signInTo } from './fixtures/dashboard';
import { withoutTable } from './fixtures/database';
import { runCommand } from './fixtures/server';
import { ageSignIns, confirmPresence } from './fixtures/sign-ins';

/** An owner goes through the pages of their app, signed in once. */

const PAGES = [
  '',
  '/requests',
  '/users',
  '/users/cohorts',
  '/errors',
  '/earnings',
  '/commission',
  '/integration',
  '/models',
  '/limits',
  '/webhooks',
  '/settings',
  '/team',
  '/team/log',
];
const EXPORTS = ['/requests/export', '/users/export', '/users/cohorts/export', '/earnings/export'];
const DESKTOP = { width: 1280, height: 900 };
const CANARY = `canary-${newEmail()}`;

test.describe.configure({ mode: 'serial', timeout: 120_000 });

let page: Page;
let app: string;
const owner = newEmail();

test.beforeAll(async ({ browser }) => {
  page = await browser.newPage({ viewport: DESKTOP });
});
test.afterAll(() => page.close());

const open = (path: string) => page.goto(`${app}${path}`);
const toast = (text: string | RegExp) => expect(page.getByText(text).first()).toBeVisible();

test('an owner signs in, creates an app and sees the next steps', async ({ service }) => {
  await signInTo(page, service, owner, '/partner/new');
  await expectAccessibleLayout(page);

  await page.getByRole('button', { name: 'Create app' }).click();
  await expect(page.getByText('Enter a name for the app')).toBeVisible();
  await expect(page.getByLabel('Name')).toBeFocused();
  await page.getByLabel('Name').fill('Harbour Notes');
  await page.getByLabel('Commission').fill('120');
  await expect(page.getByText('Enter 0 to 100 with at most two decimals')).toBeVisible();
  await page.getByLabel('Commission').fill('25');
  await page.getByRole('button', { name: 'Create app' }).click();
  await expect(page.getByText('0 of 5 done')).toBeVisible();
  await expect(page.getByText(/publishableKey: 'svc_pk_\w+'/)).toBeVisible();
  app = page.url();
  await expectAccessibleLayout(page);
});

test('origins are validated while typing, with the server’s rules', async () => {
  await open('/origins');
  const field = page.getByLabel('Origin', { exact: true });
  for (const [text, reason] of [
    ['https://app.example.com/path', 'must have only a scheme and a host'],
    ['https://*.example.com', 'must not contain a wildcard'],
    ['javascript://*', 'cannot register all of javascript'],
    ['http://localhost:8080', 'opens the checkout without registration'],
  ] as const) {
    await field.fill(text);
    await expect(page.getByText(reason)).toBeVisible();
  }
  await field.fill('https://App.Example.com:443');
  await expect(page.getByText('Will be registered as https://app.example.com')).toBeVisible();
  await page.getByRole('button', { name: 'Add origin' }).click();
  await expect(page.getByRole('listitem').filter({ hasText: 'https://app.example.com' })).toContainText(
    'Apple Pay and Google Pay: registered within a minute of the first checkout from this origin',
  );
  await field.fill('myapp://*');
  await page.getByRole('button', { name: 'Add origin' }).click();
  await page.getByRole('button', { name: 'Remove: myapp://*' }).click();
  await page.getByRole('alertdialog').getByRole('button', { name: 'Remove' }).click();
  await expect(page.getByRole('listitem').filter({ hasText: 'myapp://*' })).toHaveCount(0);
  // The focused button disappeared with its row.
  await expect(page.getByRole('main')).toBeFocused();
  await open('');
  await expect(page.getByText('1 of 5 done')).toBeVisible();
});

test('the webhook page says why a URL is refused and shows the response to a test event', async () => {
  await open('/webhooks');
  const url = page.getByLabel('URL');
  await url.fill('http://example.com/hooks');
  await page.getByRole('button', { name: 'Set endpoint' }).click();
  await expect(page.getByText('The URL must start with https://')).toBeVisible();
  await url.fill('https://hooks.svc-receiver.example/svc');
  await page.getByRole('button', { name: 'Set endpoint' }).click();
  await expect(page.getByText(/could not be resolved/)).toBeVisible();
  await page.getByRole('button', { name: 'Remove endpoint' }).click();
  await expect(page.getByRole('alertdialog')).toBeVisible();
  await expectAccessibleLayout(page);
  await page.getByRole('alertdialog').getByRole('button', { name: 'Remove endpoint' }).click();
  await expect(page.getByRole('button', { name: 'Send test event' })).toHaveCount(0);
  await expect(url).toHaveValue('');
  await url.fill('https://hooks.svc-receiver.example/svc');
  await page.getByRole('button', { name: 'Set endpoint' }).click();

  // With the keyboard alone.
  await url.focus();
  const send = page.getByRole('button', { name: 'Send test event' });
  for (let tabs = 0; tabs < 12 && !(await send.evaluate((node) => node === document.activeElement)); tabs++)
    await page.keyboard.press('Tab');
  await page.keyboard.press('Enter');
  await expect(page.getByText('Not delivered')).toBeVisible();
  await expect(send).toBeFocused();
  await page.getByRole('link', { name: 'test', exact: true }).first().click();
  await expect(page.getByText('Attempt 1')).toBeVisible();
  await expect(page.getByText('"type": "test"')).toBeVisible();
  await page.getByRole('button', { name: 'Resend' }).click();
  // The host name is looked up again before the attempt fails.
  await expect(page.getByText('Resent manually')).toBeVisible({ timeout: 20_000 });
});

test('a purchase on a page with the snippet completes the checklist automatically, step by step', async ({
  service,
  browser,
}) => {
  await open('');
  await expect(page.getByText('2 of 5 done')).toBeVisible();
  const snippet = await page.locator('pre').filter({ hasText: 'publishableKey' }).textContent();
  const site = await servePage(`<!doctype html><title>Harbour Notes</title><body>${snippet}</body>`);
  const buyer = await browser.newPage();
  try {
    await buyer.goto(site.url);
    await buyer.getByRole('button', { name: 'Buy credits' }).click();
    const checkout = await findCheckout(buyer);
    await expect(page.getByText('3 of 5 done')).toBeVisible();
    await expect(page.getByRole('listitem').filter({ hasText: 'Make a test purchase' })).toHaveAttribute(
      'aria-current',
      'step',
    );
    await signIn(buyer, checkout, service, CANARY);
    await chooseAmount(checkout, /\$5\b/);
    await payByCard(checkout, '4242 4242 4242 4242');
    await expect(checkout.getByRole('heading', { name: '500 credits added' })).toBeVisible();
    await expect(page.getByText('4 of 5 done')).toBeVisible();
    const userKey = await buyer.evaluate(() => {
      const { Svc } = window as unknown as { Svc: { getUserKey(): string } };
      return Svc.getUserKey();
    });
    const headers = { authorization: `Bearer ${userKey}` };
    const sendRequest = (model: string) =>
      buyer.request.post(`${service}/v1/chat/completions`, {
        headers,
        data: { model, messages: [{ role: 'user', content: 'Hello' }] },
      });
    expect((await sendRequest('sandbox/echo')).status()).toBe(200);
    await expect(page.getByRole('heading', { name: 'Get started' })).toHaveCount(0);
    expect((await sendRequest('sandbox/none')).status()).toBe(404);
  } finally {
    await buyer.close();
    await site.close();
  }
  await page.reload();
  await expect(page.getByText('1 active user')).toBeVisible();
  await open('/requests');
  await expect(page.getByRole('heading', { name: '1 request' })).toBeVisible();
  await expect(page.getByRole('cell', { name: 'sandbox/echo' })).toBeVisible();
  await page.getByLabel('Status').selectOption('unfinished');
  await expect(page.getByText('No requests found')).toBeVisible();
  await expect(page).toHaveURL(/status=unfinished/);

  await open('/webhooks');
  await expect(page.getByRole('link', { name: 'credits.added' })).toBeVisible();
  const deliveries = await page
    .getByRole('table', { name: 'Deliveries' })
    .getByRole('link')
    .evaluateAll((links) =>
      links.map((link) => ({ type: link.textContent, address: (link as HTMLAnchorElement).href })),
    );
  expect(deliveries.map(({ type }) => type)).toEqual(
    expect.arrayContaining(['user_key.created', 'credits.added', 'test']),
  );
  for (const { type, address } of deliveries) {
    await page.goto(address);
    await expect(page.getByText(`"type": "${type}"`)).toBeVisible();
    expectNobody(await page.content(), address);
  }
  await expectAccessibleLayout(page);
});

test('a commission shows its effect before it is set, and keeps its history', async () => {
  await open('/commission');
  const rate = page.getByLabel('Commission, %');
  await rate.fill('101');
  await expect(page.getByText('Enter 0 to 100 with at most two decimals')).toBeVisible();
  const effect = page.getByRole('table', { name: 'Effect of a 50% commission' });
  await expect(page.getByRole('table', { name: /^Effect/ }).getByRole('row')).toHaveCount(4);
  await rate.fill('50');
  await expect(effect).toBeVisible();
  // A raise starts later unless the partner chooses otherwise, and says what users pay.
  await expect(page.getByRole('button', { name: 'Schedule change' })).toBeEnabled();
  await page.getByLabel('Takes effect').selectOption('now');
  await page.getByRole('button', { name: 'Set rate' }).click();
  const dialog = page.getByRole('dialog', { name: 'Raise the commission from 25% to 50%?' });
  await expect(dialog).toContainText('Users pay 20% more from the next request');
  await dialog.getByRole('button', { name: 'Set rate' }).click();
  await toast('The rate is now 50%');
  const history = page.getByRole('table', { name: 'Rates, newest first' });
  await expect(history.getByRole('row')).toContainText(['Rate', '50%', '25%']);

  await rate.fill('10');
  await page.getByLabel('Takes effect').selectOption('later');
  await page.getByLabel('Date and time').fill(inDays(30));
  await page.getByRole('button', { name: 'Schedule change' }).click();
  await expect(page.getByText(/The rate changes to/)).toBeVisible();
  await page.getByRole('button', { name: 'Cancel change' }).click();
  await page.getByRole('alertdialog').getByRole('button', { name: 'Cancel change' }).click();
  await expect(page.getByText(/The rate changes to/)).toHaveCount(0);
});

test('an endpoint is saved after a confirmation, with what was typed', async ({ service }) => {
  await ageSignIns(owner);
  await open('/webhooks');
  const url = 'https://hooks.svc-receiver.example/moved';
  await page.getByLabel('URL').fill(url);
  await page.getByRole('button', { name: 'Save URL' }).click();
  await confirmPresence(page, service, owner);
  await toast('Endpoint saved');
  await expect(page.getByLabel('URL')).toHaveValue(url);
  await page.reload();
  await expect(page.getByLabel('URL')).toHaveValue(url);
});

test('rotating the key requires confirmation, and the old key works for another day', async ({ service }) => {
  await ageSignIns(owner);
  // The earlier address of the page.
  await open('/keys');
  await expect(page).toHaveURL(/\/integration$/);
  const key = () => page.locator('code[title^="svc_pk_"]').first().textContent();
  const before = await key();
  await page.getByRole('button', { name: 'Rotate key' }).click();
  await page.getByRole('alertdialog').getByRole('button', { name: 'Rotate key' }).click();
  await confirmPresence(page, service, owner);
  await expect(page.getByText('Replaced. Works until')).toBeVisible();
  expect(await key()).not.toBe(before);
  await expect(page.getByTitle(before ?? '', { exact: true })).toBeVisible();
});

test('models are chosen by search and by provider, and take effect once saved', async () => {
  await open('/models');
  await page.getByRole('switch', { name: 'All models' }).click();
  const none = page.getByRole('button', { name: /^None of/ });
  for (let left = await none.count(); left > 0; left--) await none.first().click();
  await page.getByRole('button', { name: 'Save' }).click();
  await expect(page.getByText(/Choose at least one model/)).toBeVisible();
  await page.getByLabel('Search models').fill('story');
  await expect(page.getByText('$15.00 per 1,000 web searches')).toHaveCount(1);
  await page.getByRole('checkbox').first().check();
  await page.getByRole('button', { name: 'Save' }).click();
  await toast('1 model allowed');
  await page.reload();
  await expect(page.getByRole('checkbox', { checked: true })).toHaveCount(1);
});

test('the name is saved, and shown as users will read it', async () => {
  await open('/settings');
  await page.getByLabel('Name').fill('Quay Notes');
  await expect(page.getByText(/Quay Notes( \(.+\))? uses prepaid credits/)).toBeVisible();
  await page.getByRole('button', { name: 'Save name' }).click();
  await toast('Name saved');
});

test('the signing secret is shown only after a confirmation, and rotated in two steps', async ({
  service,
}) => {
  await ageSignIns(owner);
  await open('/webhooks');
  await page.getByRole('button', { name: 'Show secret' }).click();
  await confirmPresence(page, service, owner);
  await expect(page.getByTitle(/^whsec_/)).toHaveCount(1);
  await page.getByRole('button', { name: 'Rotate…' }).click();
  await expect(page.getByTitle(/^whsec_/)).toHaveCount(2);
  await page.getByRole('button', { name: 'Cancel rotation' }).click();
  await page.getByRole('alertdialog').getByRole('button', { name: 'Cancel rotation' }).click();
  await page.getByRole('button', { name: 'Rotate…' }).click();
  await expect(page.getByTitle(/^whsec_/)).toHaveCount(2);
  await page.getByRole('button', { name: 'Switch to the new secret' }).click();
  await page.getByRole('alertdialog').getByRole('button', { name: 'Switch to the new secret' }).click();
  await toast('The new secret signs from now on');
});

test('no page and no export identifies a user', async () => {
  for (const path of [...PAGES, ...EXPORTS]) expectNobody(await read(path), path);
  expect(await read('/users/export')).toMatch(/\r\nau_\w+,/);
});

test('a page that fails to load says so and recovers', async () => {
  await expectRecovery(page, {
    path: `${app}/integration`,
    heading: 'Integration',
    broken: (work) => withoutTable('retired_publishable_key', work),
  });
});

test('for everyone else an app does not exist: neither its pages nor its exports', async ({ service }) => {
  const foreign = runCommand([
    'partner',
    'create',
    '--name',
    'Foreign',
    '--rate',
    '25',
    '--owner',
    newEmail(),
  ]) as {
    partner_id: string;
  };
  for (const path of [...PAGES, ...EXPORTS]) {
    const status = await page.evaluate(
      async (address) => (await fetch(address)).status,
      `${service}/partner/${foreign.partner_id}${path}`,
    );
    expect(status, path).toBe(404);
  }
});

test('on an app with a year of activity every page is complete, accessible, fits a phone and identifies no user', async ({
  service,
  browser,
}) => {
  const context = await browser.newContext({ viewport: DESKTOP });
  const veteran = await context.newPage();
  await signInTo(veteran, service, YEAR_OWNER, '/account');
  const home = `${service}/partner/${YEAR_APP.id}`;
  for (const path of PAGES) {
    await veteran.goto(home + path);
    await expect(veteran.getByRole('heading', { level: 1 })).toBeVisible();
    await expectAccessibleLayout(veteran);
    expectNobody(await veteran.content(), path);
  }
  for (const path of EXPORTS) {
    const text = await (await context.request.get(`${home}${path}?period=12m`)).text();
    expect(text.length, path).toBeGreaterThan(1_000);
    expectNobody(text, path);
  }

  await veteran.goto(`${home}/requests?period=12m`);
  const newest = veteran.getByRole('row').nth(1);
  const first = await newest.textContent();
  await veteran.getByRole('link', { name: 'Older' }).click();
  await expect(veteran.getByText(/^51–100 of/)).toBeVisible();
  expect(await newest.textContent()).not.toBe(first);
  await newest.getByRole('link', { name: /^req_/ }).click();
  await expect(veteran.getByRole('heading', { name: 'Request', exact: true })).toBeVisible();
  await expectAccessibleLayout(veteran);
  expectNobody(await veteran.content(), 'a request');
  await veteran.getByRole('link', { name: /^au_/ }).click();
  await expect(veteran).toHaveURL(/user=au_/);
  await veteran.getByLabel('Period').selectOption('12m');
  await expect(veteran).toHaveURL(/period=12m/);
  await veteran.getByLabel('Model').selectOption({ index: 1 });
  await expect(veteran).toHaveURL(/model=/);
  await veteran.goBack();
  await expect(veteran).not.toHaveURL(/model=/);
  await expect(veteran.getByLabel('Model')).toHaveValue('');
  await context.close();
});

/** The page as sent, before any of its scripts run. */
function read(path: string): Promise<string> {
  return page.evaluate(async (address) => (await fetch(address)).text(), `${app}${path}`);
}

function expectNobody(text: string, path: string): void {
  for (const canary of [CANARY, YEAR_CANARY]) expect(text, path).not.toContain(canary);
  expect(text, path).not.toContain('usr_');
  expect(text, path).not.toMatch(/svc_sk_\w{8}/);
  const withoutMembers = text.replaceAll(owner, '').replaceAll(YEAR_OWNER, '');
  expect(withoutMembers, path).not.toMatch(/[\w.+-]+@[\w-]+\.[\w.]+/);
}

/** For a date and time field. */
function inDays(days: number): string {
  return new Date(Date.now() + days * 86_400_000).toISOString().slice(0, 16);
}

async function servePage(html: string) {
  const server = createServer((_request, response) =>
    response.setHeader('content-type', 'text/html; charset=utf-8').end(html),
  );
  await new Promise<void>((resolve) => server.listen(0, 'localhost', resolve));
  return {
    url: `http://localhost:${(server.address() as AddressInfo).port}`,
    close: () =>
      new Promise<void>((resolve) => server.close(() => resolve()) && server.closeAllConnections()),
  };
}
