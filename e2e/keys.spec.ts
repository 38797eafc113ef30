import { expect } from 'playwright/test';
import { PICTURES } from './fixtures/appearance';
import { newEmail, test } from './fixtures/checkout-walk';
import { expectAccessibleLayout, signInTo } from './fixtures/dashboard';
import { runSql } from './fixtures/database';
import { signUpInNativeApp } from './fixtures/native-app';

test('an owner restricts a key in the account, and revokes it from a mail without signing in @attack', async ({
  page,
  service,
  browser,
}) => {
  test.setTimeout(120_000);
  const { email, userKey, keyId } = await signUpInNativeApp(page, service);
  const readBalance = async () => {
    const headers = { authorization: `Bearer ${userKey}` };
    return (await fetch(`${service}/v1/credits/balance`, { headers })).status;
  };
  const picture = async (name: string, of = page) => {
    if (PICTURES !== undefined) await of.screenshot({ path: `${PICTURES}/${name}.png`, fullPage: true });
  };

  await page.goto(`${service}/account/apps`);
  await page.getByRole('link', { name: /Demo/ }).click();
  await page.getByRole('button', { name: /^Restrict: key ending in/ }).click();
  await page.getByLabel('Networks').fill('home');
  await page.getByRole('button', { name: 'Save restrictions' }).click();
  await expect(page.getByText('home: expected an IP address or a network')).toBeVisible();
  await expectAccessibleLayout(page);
  await picture('restrict-key');
  await page.getByLabel('Networks').fill('203.0.113.7 2001:db8::/32');
  await page.getByLabel('Websites').fill('https://notes.example');
  await page.getByRole('button', { name: 'Save restrictions' }).click();
  await expect(page.getByText('Only from 203.0.113.7, 2001:db8::/32, https://notes.example')).toBeVisible();
  const restrict = page.getByRole('button', { name: /^Restrict: key ending in/ });
  await expect(restrict).toBeFocused();
  await expectAccessibleLayout(page);
  await picture('restricted-key');
  expect(await readBalance()).toBe(403);
  await restrict.click();
  await page.getByLabel('Networks').fill('192.0.2.1');
  await page.keyboard.press('Escape');
  await restrict.click();
  await expect(page.getByLabel('Networks')).toHaveValue('203.0.113.7 2001:db8::/32');
  await page.getByLabel('Networks').fill('');
  await page.getByLabel('Websites').fill('');
  await page.getByRole('button', { name: 'Save restrictions' }).click();
  await expect(page.getByRole('heading', { name: /^Restrict the key/ })).toHaveCount(0);
  await expect(page.getByText('Only from')).toHaveCount(0);
  expect(await readBalance()).toBe(200);

  // As the background job records it for a key that was used in an unusual way.
  await runSql(
    `INSERT INTO due_mail (kind, ref, due_at)
     VALUES ('key', jsonb_build_object('keyId', $1::text, 'at', now(), 'notice', $2::jsonb), now())`,
    [keyId, JSON.stringify({ kind: 'unusual_use', reason: 'new_network', network: '198.51.0.0/16' })],
  );
  let link: string | undefined;
  const findLink = async () => {
    const mails = await page.request.get(`${service}/dev/mail/messages?to=${encodeURIComponent(email)}`);
    link = /http\S+\/revoke-key\?token=[\w.-]+/.exec(await mails.text())?.[0];
    return link;
  };
  await expect.poll(findLink, { timeout: 30_000 }).toBeDefined();

  const elsewhere = await (await browser.newContext()).newPage();
  await elsewhere.goto(link ?? '');
  await expect(elsewhere.getByRole('heading', { name: 'Revoke this key?' })).toBeVisible();
  await expectAccessibleLayout(elsewhere);
  await picture('revoke-key', elsewhere);
  await elsewhere.setViewportSize({ width: 375, height: 800 });
  await elsewhere.emulateMedia({ colorScheme: 'dark' });
  await picture('revoke-key-phone-dark', elsewhere);
  expect(await readBalance()).toBe(200);
  await elsewhere.getByRole('button', { name: 'Revoke key' }).click();
  await expect(elsewhere.getByRole('heading', { name: 'Key revoked' })).toBeVisible();
  await picture('key-revoked', elsewhere);
  expect(await readBalance()).toBe(401);
  await elsewhere.reload();
  await expect(elsewhere.getByRole('heading', { name: 'Key revoked' })).toBeVisible();
  await elsewhere.goto(`${link}x`);
  await expect(elsewhere.getByRole('heading', { name: 'This link does not work' })).toBeVisible();
  await expectAccessibleLayout(elsewhere);
  await elsewhere.context().close();
});

test('a partner registers redirect addresses and allows networks', async ({ page, service }) => {
  await signInTo(page, service, newEmail(), '/partner/new');
  await page.getByLabel('Name').fill(`Harbour ${newEmail().replace(/\D/g, '').slice(-4)}`);
  await page.getByLabel('Commission').fill('25');
  await page.getByRole('button', { name: 'Create app' }).click();
  await expect(page.getByText('0 of 5 done')).toBeVisible();
  const app = page.url();

  await page.goto(`${app}/integration`);
  const field = page.getByLabel('Redirect address', { exact: true });
  const add = page.getByRole('button', { name: 'Add address' });
  for (const [text, reason] of [
    ['http://notes.example/back', 'Must use https, except on localhost'],
    ['https://*.notes.example/back', 'Must not contain a wildcard'],
    ['javascript://x/%0aalert(1)', 'Must use https or the scheme of an app'],
  ] as const) {
    await field.fill(text);
    await add.click();
    await expect(page.getByText(reason)).toBeVisible();
  }
  for (const uri of ['https://notes.example/back?from=svc', 'http://localhost:3000/back']) {
    await field.fill(uri);
    await add.click();
    await expect(field).toHaveValue('');
  }
  const row = page.getByRole('listitem').filter({ hasText: 'http://localhost/back' });
  await expect(row.getByText('On any port')).toBeVisible();
  await expectAccessibleLayout(page);
  if (PICTURES !== undefined) await page.screenshot({ path: `${PICTURES}/redirects.png`, fullPage: true });
  await row.getByRole('button', { name: 'Remove: http://localhost/back' }).click();
  await page.getByRole('alertdialog').getByRole('button', { name: 'Remove' }).click();
  await expect(row).toHaveCount(0);

  await page.goto(`${app}/integration`);
  const networks = page.getByLabel('Allowed networks');
  await networks.fill('our servers');
  await page.getByRole('button', { name: 'Save networks' }).click();
  await expect(page.getByText('our: expected an IP address or a network')).toBeVisible();
  await networks.fill('203.0.113.0/24');
  await page.getByRole('button', { name: 'Save networks' }).click();
  await expect(page.getByText('Networks saved. They apply to the next request.')).toBeVisible();
  await expectAccessibleLayout(page);
  if (PICTURES !== undefined) await page.screenshot({ path: `${PICTURES}/networks.png`, fullPage: true });
  await page.reload();
  await expect(networks).toHaveValue('203.0.113.0/24');
});
