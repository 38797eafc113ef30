import type { ChildProcess } from 'node:child_process';
import path from 'node:path';
import { type BrowserContext, expect, type Page } from 'playwright/test';
import { CLIENT, LoopbackIssuer } from '../tests/harness/issuer';
import { expectAccessible } from './fixtures/accessibility';
import { serveAppPage } from './fixtures/app-page';
import { expectGoodAppearance } from './fixtures/appearance';
import { collectMessages, newEmail, openCheckout, readCode, test } from './fixtures/checkout-walk';
import { signInTo } from './fixtures/dashboard';
import { end, OPERATOR_EMAIL, removeData, runCommand, spawnServer, waitUntilReady } from './fixtures/server';

/** Sign-in with the issuer of a company, on an installation that asks its operators for it. */

test.use({ locale: 'en-US', timezoneId: 'UTC' });
test.setTimeout(180_000);

const PORT = Number(process.env.E2E_PORT ?? 3999) + 47;
const SERVICE = `http://localhost:${PORT}`;
const DATA_DIR = path.resolve(import.meta.dirname, `../.data/e2e-issuer-${process.pid}`);
const CALLBACK = `${SERVICE}/api/auth/callback/oidc`;
const BUTTON = { name: 'Continue with Example Corp' };

let server: ChildProcess;
let issuer: LoopbackIssuer;
let other: LoopbackIssuer;
test.beforeAll(async () => {
  [issuer, other] = [await LoopbackIssuer.open(CALLBACK), await LoopbackIssuer.open(CALLBACK)];
  const settings = {
    OIDC_ISSUER: issuer.url,
    OIDC_CLIENT_ID: CLIENT.id,
    OIDC_CLIENT_SECRET: CLIENT.secret,
    OIDC_NAME: 'Example Corp',
    OIDC_OPERATORS: 'true',
  };
  server = spawnServer({ port: PORT, dataDir: DATA_DIR, settings });
  await waitUntilReady(server);
});
test.afterAll(async () => {
  await end(server);
  removeData(DATA_DIR);
  await Promise.all([issuer.close(), other.close()]);
});

function arrive(email = newEmail()): string {
  issuer.person = { sub: `sub of ${email}`, email, email_verified: true };
  return email;
}

async function openAppPage(page: Page) {
  const [partner] = runCommand(['partner', 'list'], { dataDir: DATA_DIR }) as { publishable_key: string }[];
  const app = await serveAppPage(SERVICE, { publishableKey: partner?.publishable_key });
  await page.goto(app.url);
  return app;
}

/** Clicks the button of the issuer in a checkout. Returns the window that opens. */
async function openIssuer(page: Page, checkout: Awaited<ReturnType<typeof openCheckout>>): Promise<Page> {
  const [opened] = await Promise.all([
    page.waitForEvent('popup'),
    checkout.getByRole('button', BUTTON).click(),
  ]);
  return opened;
}

test('a new user signs in with the issuer in a window of the overlay, and the app gets its key', async ({
  page,
  context,
}) => {
  const messages = collectMessages(context, SERVICE);
  const email = arrive();
  const app = await openAppPage(page);
  const checkout = await openCheckout(page);
  await expectGoodAppearance(page, 'issuer-checkout');
  const opened = await openIssuer(page, checkout);
  await expect(opened.getByText(/You’re signed in on this device\. Continue to/)).toBeVisible();
  await expectAccessible(opened);
  await expectGoodAppearance(opened, 'issuer-window');
  // Nothing happens in the app before the user agrees in the window.
  expect((await app.received(page)).map(([name]) => name)).not.toContain('onLoginCompleted');
  const closed = opened.waitForEvent('close');
  await opened.getByRole('button', { name: `Continue as ${email}` }).click();
  await closed;
  await expect(checkout.getByRole('heading', { name: 'Buy credits' })).toBeVisible();
  await expect
    .poll(async () => (await app.received(page)).map(([name]) => name))
    .toContain('onLoginCompleted');

  await page.goto(`${SERVICE}/account/settings`);
  const links = page.getByRole('region', { name: 'Linked sign-ins' });
  await expect(links.getByText('Example Corp')).toBeVisible();
  await expectGoodAppearance(page, 'issuer-settings');
  await page.getByRole('button', { name: 'Remove: Example Corp' }).click();
  await page.getByRole('alertdialog').getByRole('button', { name: 'Remove' }).click();
  await expect(page.getByText('Linked sign-ins')).toBeHidden();
  await app.close();
  expect(messages).toEqual([]);
});

test('an account that is signed in on the device is replaced only by a click in the window @attack', async ({
  page,
}) => {
  const email = newEmail();
  await signInTo(page, SERVICE, email, '/account');
  arrive();
  const app = await openAppPage(page);
  const opened = await openIssuer(page, await openCheckout(page));
  await expect(opened.getByRole('button', BUTTON)).toBeVisible();
  await expectGoodAppearance(opened, 'issuer-ask');
  await opened.getByRole('button', { name: `Continue as ${email}` }).click();
  await expect(opened.getByText(/You’re signed in on this device\. Continue to/)).toBeVisible();
  await page.goto(`${SERVICE}/account/settings`);
  await expect(page.getByText(email).first()).toBeVisible();
  await app.close();
});

test('an existing user links the issuer by one code in the window, and a page without a click in it gets nothing', async ({
  page,
}) => {
  const email = newEmail();
  await signInTo(page, SERVICE, email, '/account');
  await page.context().clearCookies();
  arrive(email);
  const app = await openAppPage(page);
  const checkout = await openCheckout(page);
  const opened = await openIssuer(page, checkout);
  await expect(opened.getByText('Enter the code once.')).toBeVisible();
  await expectGoodAppearance(opened, 'issuer-code');
  await opened.getByLabel('Code').fill(await readCode(opened, SERVICE, email));
  await opened.getByRole('button', { name: `Continue as ${email}` }).click();
  await expect(checkout.getByRole('heading', { name: 'Buy credits' })).toBeVisible();
  await app.close();
});

test('the response of a second issuer is refused, and so is a window that cannot say who opened it @attack', async ({
  page,
}) => {
  arrive();
  other.person = issuer.person;
  // A proxy, or an issuer that the user was sent to, responds in place of the one that was asked.
  await page.route(`${issuer.url}/auth?*`, (route) =>
    route.fulfill({
      status: 302,
      headers: { location: route.request().url().replace(issuer.url, other.url) },
    }),
  );
  await page.goto(`${SERVICE}/sign-in?return=%2Faccount%2Fbuy`);
  await page.getByRole('button', BUTTON).click();
  await expect(page.getByText('The sign-in didn’t succeed.')).toBeVisible();
  await expectGoodAppearance(page, 'issuer-refused');
  expect(other.exchanges).toBe(0);
  expect(await sessionOf(page.context())).toBeUndefined();

  await page.unroute(`${issuer.url}/auth?*`);
  await page.getByRole('button', BUTTON).click();
  await expect(page).toHaveURL(`${SERVICE}/account/buy`);
  await page.goto(`${SERVICE}/checkout/sign-in?visit=ckv_none&with=oidc`);
  await expect(page.getByText('This checkout is no longer open')).toBeVisible();
});

test('an operator’s mailbox opens no page of operators until the company’s issuer has signed in the device @attack', async ({
  page,
}) => {
  await page.goto(`${SERVICE}/sign-in?return=%2Foperator`);
  await page.getByLabel('E-mail').fill(OPERATOR_EMAIL);
  await page.getByRole('button', { name: 'Send code' }).click();
  await page.getByLabel('Code').fill(await readCode(page, SERVICE, OPERATOR_EMAIL));
  await expect(page.getByText('These pages open only after a sign-in with Example Corp.')).toBeVisible();
  await expectGoodAppearance(page, 'issuer-operator');
  for (const address of ['/operator/users', '/operator/payouts/export/2026']) {
    const response = await page.request.get(SERVICE + address, { maxRedirects: 0 });
    expect([address, response.status(), response.headers().location]).toEqual([
      address,
      307,
      `/sign-in/issuer?return=${encodeURIComponent(address)}`,
    ]);
  }
  arrive(OPERATOR_EMAIL);
  await page.getByRole('button', BUTTON).click();
  await page.getByLabel('Code').fill(await readCode(page, SERVICE, OPERATOR_EMAIL));
  await expect(page).toHaveURL(`${SERVICE}/operator`);
  await expect(page.getByRole('heading', { level: 1 })).toBeVisible();
});

const sessionOf = async (context: BrowserContext) =>
  (await context.cookies()).find(({ name }) => name === '__Host-svc-session');
