import { createHash, randomBytes } from 'node:crypto';
import { expect } from '@playwright/test';
import { expectAccessible } from './fixtures/accessibility';
import { demoAddress, newEmail, readCode, test } from './fixtures/checkout-walk';

test('an app without the widget signs its user in by redirect; signing out revokes its key immediately', async ({
  page,
  service,
}) => {
  await page.goto(demoAddress(service));
  const publishableKey = /svc_pk_\w+/.exec(await page.content())?.[0] ?? '';
  const verifier = randomBytes(32).toString('base64url');
  const query = new URLSearchParams({
    publishable_key: publishableKey,
    redirect_uri: `${service}/dev/mail?to=nobody`,
    code_challenge: createHash('sha256').update(verifier).digest('base64url'),
    code_challenge_method: 'S256',
    state: 'my state',
  });
  const email = newEmail();
  await page.goto(`${service}/auth/authorize?${query}`);
  await page.getByLabel('E-mail').fill(email);
  await page.getByRole('button', { name: 'Send code' }).click();
  await page.getByLabel('Code').fill(await readCode(page, service, email));

  await expect(page.getByRole('heading', { name: 'Sign in to Demo app' })).toBeVisible();
  await expectAccessible(page);
  await expect(page.getByRole('link', { name: 'Cancel' })).toHaveAttribute('href', /error=access_denied/);
  await page.getByRole('button', { name: 'Continue' }).click();
  await expect(page).toHaveURL(/\/dev\/mail\?to=nobody&token=svc_st_\w+&state=my\+state$/);

  const token = new URL(page.url()).searchParams.get('token');
  const exchanged = await fetch(`${service}/auth/token`, {
    method: 'POST',
    body: JSON.stringify({
      grant_type: 'signin_token',
      publishable_key: publishableKey,
      token,
      code_verifier: verifier,
    }),
  });
  const { user_key: userKey } = (await exchanged.json()) as { user_key: string };
  const balance = () =>
    fetch(`${service}/v1/credits/balance`, { headers: { authorization: `Bearer ${userKey}` } });
  expect((await balance()).status).toBe(200);

  await page.goto(`${service}/account`);
  await page.getByRole('button', { name: 'Sign out' }).click();
  await expect(page).toHaveURL(`${service}/`);
  expect((await balance()).status).toBe(401);
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
