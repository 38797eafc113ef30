import { expect } from 'playwright/test';
import { expectAccessible } from './fixtures/accessibility';
import { newEmail, readCode, test } from './fixtures/checkout-walk';

const COOKIE = '__Host-svc-session';

test('signing in by code: a wrong code is reported in place, and the right one returns to the previous page', async ({
  page,
  context,
  service,
}) => {
  const email = newEmail();
  await context.addCookies([{ name: COOKIE, value: 'planted', url: service.replace('http:', 'https:') }]);
  await page.goto(`${service}/sign-in?return=${encodeURIComponent('/dev/mail?to=nobody')}`);
  await expectAccessible(page);
  await page.getByLabel('E-mail').fill('not an address');
  await page.getByRole('button', { name: 'Send code' }).click();
  await expect(page.getByText(/^Enter a complete e-\u2060?mail address\.$/)).toBeVisible();

  await page.getByLabel('E-mail').fill(email);
  await page.getByRole('button', { name: 'Send code' }).click();
  await expect(page.getByRole('heading', { name: 'Check your inbox' })).toBeVisible();
  await expect(page.getByRole('button', { name: /Send a new code in \d+ s/ })).toBeDisabled();
  await expectAccessible(page);

  const code = await readCode(page, service, email);
  await page.getByLabel('Code').fill(code === '000000' ? '111111' : '000000');
  await expect(page.getByText('The code is incorrect.')).toBeVisible();
  await page.getByLabel('Code').fill(`${code.slice(0, 3)} ${code.slice(3)}`);
  await expect(page).toHaveURL(`${service}/dev/mail?to=nobody`);

  const cookie = (await context.cookies()).find(({ name }) => name === COOKIE);
  expect(cookie).toMatchObject({ httpOnly: true, secure: true, sameSite: 'Lax', path: '/' });
  expect(cookie?.value).not.toBe('planted');
  const response = await page.request.get(`${service}/api/auth/session`, {
    headers: { cookie: `${COOKIE}=${cookie?.value}` },
  });
  expect(Object.keys((await response.json()) as object)).toEqual(['expires']);
});

test('a browser is known after signing in, and stays known when the user signs out', async ({
  page,
  context,
  service,
}) => {
  const email = newEmail();
  await page.goto(`${service}/sign-in`);
  await page.getByLabel('E-mail').fill(email);
  await page.getByRole('button', { name: 'Send code' }).click();
  await page.getByLabel('Code').fill(await readCode(page, service, email));
  await expect(page).toHaveURL(`${service}/account`);
  await page.getByRole('button', { name: 'Sign out' }).first().click();
  await expect(page).toHaveURL(/\/$|\/sign-in/);
  const cookies = await context.cookies();
  expect(cookies.map(({ name }) => name)).not.toContain(COOKIE);
  const known = cookies.find(({ name }) => name === '__Host-svc-known');
  expect(known).toMatchObject({ httpOnly: true, secure: true, sameSite: 'Lax', path: '/' });
  expect(known?.value).toMatch(/^[\w.-]+$/);
});

test('what a user enters before the scripts of a page have loaded counts once they have @attack', async ({
  page,
  service,
}) => {
  let load = () => {};
  let loading = Promise.resolve();
  await page.route('**/_next/static/**/*.js', async (route) => {
    await loading;
    await route.continue();
  });
  const openWithoutScripts = async (path: string) => {
    loading = new Promise((resolve) => {
      load = resolve;
    });
    await page.goto(service + path, { waitUntil: 'commit' });
  };
  const email = newEmail();
  await openWithoutScripts('/sign-in?return=/account/buy');
  await page.getByLabel('E-mail').fill(email);
  await page.keyboard.press('Enter');
  await expect(page.getByRole('button', { name: 'Send code' })).toBeDisabled();
  load();
  await page.getByRole('button', { name: 'Send code' }).click();
  await page.getByLabel('Code').fill(await readCode(page, service, email));
  await expect(page).toHaveURL(`${service}/account/buy`);

  await openWithoutScripts('/account/buy');
  await page.getByRole('radio', { name: /\$50\b/ }).check();
  load();
  await expect(page.getByRole('button', { name: 'Pay $50' })).toBeVisible();
});

test('the sign-in page redirects only to pages of this site', async ({ page, service }) => {
  for (const path of ['https://evil.test', '//evil.test', '/\\evil.test', '/sign-in']) {
    await page.goto(`${service}/sign-in?return=${encodeURIComponent(path)}`);
    const html = await page.content();
    expect(html).toContain('\\"returnTo\\":\\"/account\\"');
  }
});

test('next-auth serves nothing but the session', async ({ request, service }) => {
  for (const path of ['signin', 'signout', 'csrf', 'providers', 'error', 'callback/x', 'verify-request'])
    expect((await request.get(`${service}/api/auth/${path}`)).status(), path).toBe(404);
  for (const path of ['signout', 'signin', 'session', '_log'])
    expect((await request.post(`${service}/api/auth/${path}`)).status(), path).toBe(404);
  expect(await (await request.get(`${service}/api/auth/session`)).json()).toEqual({});
});
