import { expect, type Page } from 'playwright/test';
import { errorOf, OauthClient } from '../tests/people/identity/oauth-client';
import { expectGoodAppearance } from './fixtures/appearance';
import { demoAddress, newEmail, readCode, test } from './fixtures/checkout-walk';
import { NativeApp, signUpInNativeApp } from './fixtures/native-app';
import { ageSignIns, confirmPresence } from './fixtures/sign-ins';

/** A tool in a terminal, which is an unchanged OAuth client, and its user's browser. */

async function startTool(page: Page, service: string): Promise<OauthClient> {
  await page.goto(demoAddress(service));
  return OauthClient.discover(service, /svc_pk_\w+/.exec(await page.content())?.[0] ?? '');
}

async function signInHere(page: Page, service: string, email: string): Promise<void> {
  await page.getByLabel('E-mail').fill(email);
  await page.getByRole('button', { name: 'Send code' }).click();
  await page.getByLabel('Code').fill(await readCode(page, service, email));
}

/** The status of a paid request, and the address that a 402 names. */
async function ask(service: string, userKey: string): Promise<{ status: number; address: string }> {
  const response = await fetch(`${service}/v1/chat/completions`, {
    method: 'POST',
    headers: { authorization: `Bearer ${userKey}`, 'content-type': 'application/json' },
    body: JSON.stringify({
      model: 'sandbox/echo',
      max_tokens: 20,
      messages: [{ role: 'user', content: 'Hello' }],
    }),
  });
  const { error } = await response.json();
  return { status: response.status, address: error?.action_url ?? '' };
}

test('a tool in a terminal gets a key with a code, its user buys credits where the 402 says, and the request works', async ({
  page,
  service,
}) => {
  test.setTimeout(120_000);
  const tool = await startTool(page, service);
  const begun = await tool.beginOnDevice();
  const email = newEmail();

  await page.goto(begun.verification_uri);
  await signInHere(page, service, email);
  await expect(page.getByRole('heading', { name: 'Connect a device' })).toBeVisible();
  await expectGoodAppearance(page, 'device-code');
  await page.getByLabel('Code').fill('BCDF-GHJK');
  await page.getByRole('button', { name: 'Continue' }).click();
  await expect(page.getByText(/No device is waiting for this code/)).toBeVisible();
  await expectGoodAppearance(page, 'device-code-wrong');
  await page.getByLabel('Code').fill(begun.user_code.toLowerCase().replace('-', ' '));
  await page.getByRole('button', { name: 'Continue' }).click();

  await expect(page.getByRole('heading', { name: 'Connect Demo app?' })).toBeVisible();
  await expect(page.getByText(begun.user_code)).toBeVisible();
  await expectGoodAppearance(page, 'device-decision');
  expect(await tool.poll(begun.device_code).catch(errorOf)).toBe('authorization_pending');
  await page.getByRole('button', { name: 'Connect device' }).click();
  await expect(page.getByRole('heading', { name: 'Device connected' })).toBeVisible();
  await expectGoodAppearance(page, 'device-connected');
  const { access_token: userKey } = await tool.poll(begun.device_code);

  const refused = await ask(service, userKey);
  expect(refused.status).toBe(402);
  await page.context().clearCookies();
  await page.goto(refused.address);
  await signInHere(page, service, email);
  await expect(page.getByRole('heading', { name: 'Buy credits for Demo app' })).toBeVisible();
  await expectGoodAppearance(page, 'buy-for-app');
  await page.getByRole('button', { name: 'Pay $10' }).click();
  await page.locator('[autocomplete="cc-number"]').fill('4242 4242 4242 4242');
  await page.locator('[autocomplete="cc-exp"]').fill('12 / 34');
  await page.locator('[autocomplete="cc-csc"]').fill('123');
  await page.locator('[autocomplete="cc-name"]').fill('Ada Lovelace');
  await page.getByRole('button', { name: /^Pay/ }).click();
  await expect(page.getByText('1,000 credits added').last()).toBeVisible();
  await expect(page.getByText('You can use them in Demo app now. Return to it and try again.')).toBeVisible();
  await expectGoodAppearance(page, 'bought-for-app');
  expect((await ask(service, userKey)).status).toBe(200);
});

test('a link with the code in it connects nothing by itself, and connecting asks for a recent confirmation @attack', async ({
  page,
  service,
}) => {
  const tool = await startTool(page, service);
  const email = newEmail();
  await page.goto(`${service}/account`);
  await signInHere(page, service, email);
  await expect(page).toHaveURL(`${service}/account`);
  const begun = await tool.beginOnDevice();
  await ageSignIns(email);

  await page.goto(begun.verification_uri_complete ?? '');
  await expect(page.getByLabel('Code')).toHaveValue(begun.user_code);
  await expect(page.getByText('Check that your terminal or device shows exactly this code.')).toBeVisible();
  await expect(page.getByText(/Go on only if you began this yourself/)).toBeVisible();
  await page.getByRole('button', { name: 'Continue' }).click();
  await page.getByRole('button', { name: 'Connect device' }).click();
  await confirmPresence(page, service, email);
  await expect(page.getByRole('heading', { name: 'Device connected' })).toBeVisible();
  expect((await tool.poll(begun.device_code)).access_token).toMatch(/^svc_sk_/);
});

test('a user who refuses tells the tool so, and the code is used up', async ({ page, service }) => {
  const tool = await startTool(page, service);
  const begun = await tool.beginOnDevice();
  await page.goto(begun.verification_uri_complete ?? '');
  await signInHere(page, service, newEmail());
  await page.getByRole('button', { name: 'Continue' }).click();
  await page.getByRole('button', { name: 'Refuse' }).click();
  await expect(page.getByRole('heading', { name: 'Refused' })).toBeVisible();
  await expectGoodAppearance(page, 'device-refused');
  expect(await tool.poll(begun.device_code).catch(errorOf)).toBe('access_denied');
  await page.goto(begun.verification_uri_complete ?? '');
  await page.getByRole('button', { name: 'Continue' }).click();
  await expect(page.getByText(/No device is waiting for this code/)).toBeVisible();
});

test('an unchanged OAuth client signs a user in by redirect, knowing only the address and the client id', async ({
  page,
  service,
}) => {
  const tool = await startTool(page, service);
  const app = await NativeApp.start(page, service);
  await page.goto(await tool.authorizeAddress(app.redirectUri, 'my state'));
  await signInHere(page, service, newEmail());
  await page.getByRole('button', { name: 'Continue' }).click();
  await expect(page).toHaveURL(/\/back\?code=svc_st_\w+&state=my\+state&iss=/);
  const token = await tool.exchange(page.url(), app.redirectUri, 'my state');
  expect((await ask(service, token.access_token)).status).toBe(402);
  await tool.revoke(token.access_token);
  expect((await ask(service, token.access_token)).status).toBe(401);
  app.stop();
});

test('the address in a 402 says so when the browser is signed in to another account, and when it is too old', async ({
  page,
  service,
}) => {
  const { userKey } = await signUpInNativeApp(page, service);
  const { address } = await ask(service, userKey);
  await page.context().clearCookies();
  await page.goto(address);
  const other = newEmail();
  await signInHere(page, service, other);
  await expect(page.getByRole('heading', { name: 'This link is for another account' })).toBeVisible();
  await expect(page.getByText(other)).toBeVisible();
  await expectGoodAppearance(page, 'continue-other-account');
  await page.goto(`${address}x`);
  await expect(page.getByRole('heading', { name: 'This link does not work' })).toBeVisible();
  await expectGoodAppearance(page, 'continue-dead-link');
});
