import { readFile } from 'node:fs/promises';
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { expect, type Page, type Request } from '@playwright/test';
import { expectAccessible } from './fixtures/accessibility';
import {
  chooseAmount,
  findCheckout,
  newEmail,
  payByCard,
  readCode,
  signIn,
  test,
} from './fixtures/checkout-walk';

/** An app whose owner walks through its pages. The demo app is somebody else's. */

const FOREIGN_APP = 'prt_demo';
const PAGES = [
  '',
  '/requests',
  '/users',
  '/errors',
  '/earnings',
  '/commission',
  '/payouts',
  '/keys',
  '/origins',
  '/models',
  '/webhooks',
  '/settings',
  '/team',
];
const EXPORTS = ['/requests/export', '/users/export', '/earnings/export'];
const CANARY = `canary-${newEmail()}`;

test.describe.configure({ mode: 'serial' });

let page: Page;
let app: string;
const actions = new Set<string>();

test.beforeAll(async ({ browser }) => {
  page = await browser.newPage();
});
test.afterAll(() => page.close());

const open = (path: string) => page.goto(`${app}${path}`);
const toast = (text: string | RegExp) => expect(page.getByText(text).first()).toBeVisible();

test('an owner signs in, makes an app and sees what comes next', async ({ service }) => {
  const email = newEmail();
  await page.goto(`${service}/partner`);
  await page.getByLabel('E-mail').fill(email);
  await page.getByRole('button', { name: 'Send code' }).click();
  await expect(page.getByRole('heading', { name: 'Check your mail' })).toBeVisible();
  await page.getByLabel('Code').fill(await readCode(page, service, email));
  await expect(page).toHaveURL(`${service}/partner/new`);
  await expectAccessible(page);

  await page.getByRole('button', { name: 'Create app' }).click();
  await expect(page.getByText('Give the app a name')).toBeVisible();
  await page.getByLabel('Name').fill('Harbour Notes');
  await page.getByLabel('Commission').fill('120');
  await expect(page.getByText('From 0 to 100, two decimals at most')).toBeVisible();
  await page.getByLabel('Commission').fill('25');
  await page.getByRole('button', { name: 'Create app' }).click();
  await expect(page.getByText('0 of 4 done')).toBeVisible();
  await expect(page.getByText(/publishableKey: 'svc_pk_\w+'/)).toBeVisible();
  app = page.url();
  page.on('request', (request) => recordAction(request));
});

test('origins are judged while they are typed, by the server’s rules', async () => {
  await open('/origins');
  const field = page.getByLabel('Origin', { exact: true });
  for (const [text, reason] of [
    ['https://app.example.com/path', 'Write scheme and host only'],
    ['https://*.example.com', 'A host has no wildcard'],
    ['javascript://*', 'cannot be registered as a whole'],
    ['http://localhost:8080', 'always works and need not be registered'],
  ] as const) {
    await field.fill(text);
    await expect(page.getByText(reason)).toBeVisible();
  }
  await field.fill('https://App.Example.com:443');
  await expect(page.getByText('Will be registered as https://app.example.com')).toBeVisible();
  await page.getByRole('button', { name: 'Add origin' }).click();
  await expect(page.getByRole('listitem').filter({ hasText: 'https://app.example.com' })).toBeVisible();
  await field.fill('myapp://*');
  await page.getByRole('button', { name: 'Add origin' }).click();
  await page.getByRole('button', { name: 'Remove: myapp://*' }).click();
  await page.getByRole('alertdialog').getByRole('button', { name: 'Remove' }).click();
  await expect(page.getByRole('listitem').filter({ hasText: 'myapp://*' })).toHaveCount(0);
});

test('a test purchase on a page with the snippet ticks its steps', async ({ service, browser }) => {
  await open('');
  const key = /svc_pk_\w+/.exec((await page.getByText(/publishableKey/).textContent()) ?? '')?.[0] ?? '';
  const site = await servePage({ __SCRIPT__: `${service}/v1/svc.js`, __KEY__: key });
  const buyer = await browser.newPage();
  try {
    await buyer.goto(site.url);
    await buyer.getByRole('button', { name: 'Buy' }).click();
    const checkout = await findCheckout(buyer);
    await signIn(buyer, checkout, service, CANARY);
    await chooseAmount(checkout, /\$5\b/);
    await payByCard(checkout, '4242 4242 4242 4242');
    await expect(checkout.getByRole('heading', { name: '500 credits added' })).toBeVisible();
    const userKey = await buyer.evaluate(() => {
      const { Svc } = window as unknown as { Svc: { getUserKey(): string } };
      return Svc.getUserKey();
    });
    const headers = { authorization: `Bearer ${userKey}` };
    const ask = (model: string) =>
      buyer.request.post(`${service}/v1/chat/completions`, {
        headers,
        data: { model, messages: [{ role: 'user', content: 'Hello' }] },
      });
    expect((await ask('sandbox/echo')).status()).toBe(200);
    expect((await ask('sandbox/none')).status()).toBe(404);
  } finally {
    await buyer.close();
    await site.close();
  }
  await page.reload();
  await expect(page.getByText('3 of 4 done')).toBeVisible();
  await expect(page.getByText('1 active users')).toBeVisible();
  await open('/requests');
  await expect(page.getByRole('heading', { name: '1 request' })).toBeVisible();
  await expect(page.getByRole('cell', { name: 'sandbox/echo' })).toBeVisible();
  await page.getByLabel('Status').selectOption('unfinished');
  await expect(page.getByText('No such request')).toBeVisible();
  await expect(page).toHaveURL(/status=unfinished/);
});

test('a commission shows its effect before it is set, and keeps its history', async () => {
  await open('/commission');
  const rate = page.getByLabel('Commission, %');
  await rate.fill('101');
  await expect(page.getByText('From 0 to 100, two decimals at most')).toBeVisible();
  const effect = page.getByRole('table', { name: 'Effect of a commission of 50 %' });
  await rate.fill('50');
  await expect(effect).toBeVisible();
  await page.getByRole('button', { name: 'Set rate' }).click();
  await toast('The rate is 50 % from now on');
  const history = page.getByRole('table', { name: 'Rates, the latest first' });
  await expect(history.getByRole('row')).toContainText(['Rate', '50 %', '25 %']);

  await rate.fill('10');
  await page.getByLabel('From', { exact: true }).selectOption('later');
  await page.getByLabel('Date and time').fill(inDays(30));
  await page.getByRole('button', { name: 'Plan change' }).click();
  await expect(page.getByText(/The rate changes to/)).toBeVisible();
  await page.getByRole('button', { name: 'Cancel the change' }).click();
  await page.getByRole('alertdialog').getByRole('button', { name: 'Cancel the change' }).click();
  await expect(page.getByText(/The rate changes to/)).toHaveCount(0);
});

test('the key is rotated after a question, and the old one stays for a day', async () => {
  await open('/keys');
  const key = () => page.locator('code[title^="svc_pk_"]').first().textContent();
  const before = await key();
  await page.getByRole('button', { name: 'Rotate key' }).click();
  await page.getByRole('alertdialog').getByRole('button', { name: 'Rotate key' }).click();
  await expect(page.getByText('Replaced; works until')).toBeVisible();
  expect(await key()).not.toBe(before);
  await expect(page.getByTitle(before ?? '', { exact: true })).toBeVisible();
});

test('models are chosen by search and by provider, and count once they are saved', async () => {
  await open('/models');
  await page.getByRole('switch', { name: 'All models' }).click();
  await page.getByRole('button', { name: 'None of sandbox' }).click();
  await page.getByRole('button', { name: 'Save' }).click();
  await expect(page.getByText(/Choose one model at least/)).toBeVisible();
  await page.getByLabel('Search models').fill('story');
  await page.getByRole('checkbox').first().check();
  await page.getByRole('button', { name: 'Save' }).click();
  await toast('1 model allowed');
  await page.reload();
  await expect(page.getByRole('checkbox', { checked: true })).toHaveCount(1);
});

test('the webhook page tells why an address is refused and what a test event brought', async () => {
  await open('/webhooks');
  const url = page.getByLabel('URL');
  await url.fill('http://example.com/hooks');
  await page.getByRole('button', { name: 'Set endpoint' }).click();
  await expect(page.getByText('The address must begin with https://')).toBeVisible();
  await url.fill('https://hooks.svc-receiver.example/svc');
  await page.getByRole('button', { name: 'Set endpoint' }).click();
  await expect(page.getByText(/could not be found just now/)).toBeVisible();

  await page.getByRole('button', { name: 'Send test event' }).click();
  await expect(page.getByText('Not delivered')).toBeVisible();
  await page.reload();
  await page.getByRole('link', { name: 'test', exact: true }).first().click();
  await expect(page.getByText('Attempt 1')).toBeVisible();
  await expect(page.getByText('"type": "test"')).toBeVisible();
  await page.getByRole('button', { name: 'Resend' }).click();
  await expect(page.getByText('Resent by hand')).toBeVisible();

  await open('/webhooks');
  await page.getByRole('button', { name: 'Show secret' }).click();
  await expect(page.getByTitle(/^whsec_/)).toHaveCount(1);
  await page.getByRole('button', { name: 'Rotate…' }).click();
  await expect(page.getByTitle(/^whsec_/)).toHaveCount(2);
  await page.getByRole('button', { name: 'Switch to the next secret' }).click();
  await page.getByRole('alertdialog').getByRole('button', { name: 'Switch to the next secret' }).click();
  await toast('The next secret signs from now on');
});

test('the name is saved, and shown as users will read it', async () => {
  await open('/settings');
  await page.getByLabel('Name').fill('Quay Notes');
  await expect(page.getByText(/Quay Notes uses prepaid credits/)).toBeVisible();
  await page.getByRole('button', { name: 'Save name' }).click();
  await toast('Name saved');
});

test('every page is accessible in light and dark, fits a phone, and names nobody', async () => {
  for (const path of PAGES) {
    for (const colorScheme of ['light', 'dark'] as const) {
      await page.emulateMedia({ colorScheme });
      await page.setViewportSize(
        colorScheme === 'light' ? { width: 1280, height: 900 } : { width: 375, height: 800 },
      );
      await open(path);
      await expect(page.getByRole('heading', { level: 1 })).toBeVisible();
      await expectAccessible(page);
      const overflow = await page.evaluate(() => document.documentElement.scrollWidth - innerWidth);
      expect(overflow, `${path} at ${colorScheme}`).toBeLessThanOrEqual(0);
    }
    expectNobody(await page.content(), path);
  }
  for (const path of EXPORTS) expectNobody(await readExport(path), path);
  expect(await readExport('/users/export')).toMatch(/\r\nau_\w+,/);
  await page.emulateMedia({ colorScheme: null });
  await page.setViewportSize({ width: 1280, height: 900 });
});

test('to everybody else an app does not exist: its pages, its exports and every action', async ({
  service,
  browser,
}) => {
  for (const path of [...PAGES, ...EXPORTS]) {
    const status = await page.evaluate(
      async (address) => (await fetch(address)).status,
      `${service}/partner/${FOREIGN_APP}${path}`,
    );
    expect(status, path).toBe(404);
  }
  expect(actions.size).toBeGreaterThanOrEqual(14);
  for (const action of actions) {
    const answer = await callAction(action, { partnerId: FOREIGN_APP });
    expect(answer.text).toContain('There is no such app');
  }
  const name = await page.getByRole('button', { name: /^App:/ }).textContent();
  // Another site cannot call them either, although the cookie would travel along.
  const cookies = await page.context().cookies();
  const stranger = await browser.newContext();
  for (const action of actions) {
    const answer = await stranger.request.post(`${app}/settings`, {
      headers: {
        ...actionHeaders(action),
        origin: 'https://evil.example',
        cookie: cookies.map((cookie) => `${cookie.name}=${cookie.value}`).join('; '),
      },
      data: JSON.stringify([{ ...ANY_INPUT, partnerId: app.split('/').at(-1) }]),
    });
    expect(await answer.text()).not.toContain('"ok":true');
  }
  await stranger.close();
  await open('/settings');
  expect(await page.getByRole('button', { name: /^App:/ }).textContent()).toBe(name);
});

/** What each action needs, all in one: an action takes what it knows. */
const ANY_INPUT = {
  origin: 'https://taken.example',
  name: 'Taken over',
  url: 'https://taken.example/hook',
  percent: '1',
  effectiveAt: null,
  models: null,
  eventId: 'evt_0000000000000000000000',
};

const actionHeaders = (action: string) => ({
  'next-action': action,
  'content-type': 'text/plain;charset=UTF-8',
});

function recordAction(request: Request): void {
  const action = request.headers()['next-action'];
  if (action !== undefined && request.method() === 'POST') actions.add(action);
}

/** Calls an action as our own page does. */
function callAction(action: string, input: { partnerId: string }): Promise<{ status: number; text: string }> {
  return page.evaluate(
    async ({ address, headers, body }) => {
      const answer = await fetch(address, { method: 'POST', headers, body });
      return { status: answer.status, text: await answer.text() };
    },
    {
      address: page.url(),
      headers: actionHeaders(action),
      body: JSON.stringify([{ ...ANY_INPUT, ...input }]),
    },
  );
}

function readExport(path: string): Promise<string> {
  return page.evaluate(async (address) => (await fetch(address)).text(), `${app}${path}`);
}

function expectNobody(text: string, path: string): void {
  expect(text, path).not.toContain(CANARY);
  expect(text, path).not.toContain('usr_');
  expect(text, path).not.toMatch(/[\w.+-]+@[\w-]+\.[\w.]+/);
}

/** For a field of date and time. */
function inDays(days: number): string {
  return new Date(Date.now() + days * 86_400_000).toISOString().slice(0, 16);
}

async function servePage(values: Record<string, string>) {
  let html = await readFile(new URL('./fixtures/partner-page.html', import.meta.url), 'utf8');
  for (const [name, value] of Object.entries(values)) html = html.replaceAll(name, value);
  const server = createServer((_request, response) =>
    response.setHeader('content-type', 'text/html').end(html),
  );
  await new Promise<void>((resolve) => server.listen(0, 'localhost', resolve));
  return {
    url: `http://localhost:${(server.address() as AddressInfo).port}`,
    close: () =>
      new Promise<void>((resolve) => server.close(() => resolve()) && server.closeAllConnections()),
  };
}
