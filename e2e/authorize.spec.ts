import { expect } from 'playwright/test';
import { expectAccessible } from './fixtures/accessibility';
import { demoAddress, newEmail, readCode, test } from './fixtures/checkout-walk';
import { NativeApp } from './fixtures/native-app';

test('an app without the widget signs its user in by redirect; signing out revokes its key immediately', async ({
  page,
  service,
}) => {
  const app = await NativeApp.start(page, service);
  const email = newEmail();
  await page.goto(app.authorizeAddress());
  await page.getByLabel('E-mail').fill(email);
  await page.getByRole('button', { name: 'Send code' }).click();
  await page.getByLabel('Code').fill(await readCode(page, service, email));

  await expect(page.getByRole('heading', { name: 'Sign in to Demo app' })).toBeVisible();
  await expectAccessible(page);
  await expect(page.getByRole('link', { name: 'Cancel' })).toHaveAttribute('href', /error=access_denied/);
  await page.getByRole('button', { name: 'Continue' }).click();
  await expect(page).toHaveURL(/^http:\/\/localhost:\d+\/back\?token=svc_st_\w+&state=my\+state$/);
  await expect(page.getByText('Signed in')).toBeVisible();

  const { userKey } = await app.exchange(page.url());
  const balance = () =>
    fetch(`${service}/v1/credits/balance`, { headers: { authorization: `Bearer ${userKey}` } });
  expect((await balance()).status).toBe(200);

  await page.goto(`${service}/account`);
  await page.getByRole('button', { name: 'Sign out' }).click();
  await expect(page).toHaveURL(`${service}/`);
  expect((await balance()).status).toBe(401);
  app.stop();
});

test('a request with a redirect URI that is not the app’s own does not redirect and says why', async ({
  page,
  service,
}) => {
  await page.goto(`${service}/auth/authorize?publishable_key=svc_pk_x&redirect_uri=https://evil.test/`);
  await expect(page.getByRole('heading', { name: 'Sign-in cannot continue' })).toBeVisible();
  await expect(page.getByText('Unknown publishable key')).toBeVisible();
  await expectAccessible(page);
});

test('a page of a registered origin that is not a registered address is named, with the place to register it', async ({
  page,
  service,
}) => {
  const app = await NativeApp.start(page, service);
  await page.goto(app.authorizeAddress(`${demoAddress(service).replace('http:', 'https:')}/anywhere`));
  await expect(page.getByText(/anywhere is not registered for this app/)).toBeVisible();
  await expect(page.getByText(/Origins, Redirect addresses, in the partner dashboard/)).toBeVisible();
  app.stop();
});
