import { expect, type Page } from 'playwright/test';
import { PICTURES } from './fixtures/appearance';
import { newEmail, readCode, test } from './fixtures/checkout-walk';
import { expectAccessibleLayout, signInTo } from './fixtures/dashboard';
import { runSql } from './fixtures/database';
import { OPERATOR_EMAIL, runCommand } from './fixtures/server';

async function picture(page: Page, name: string): Promise<void> {
  if (PICTURES === undefined) return;
  const size = page.viewportSize();
  for (const [look, colorScheme] of [
    ['', 'light'],
    ['-dark', 'dark'],
  ] as const) {
    await page.emulateMedia({ colorScheme });
    await page.setViewportSize({ width: 1280, height: 900 });
    await page.screenshot({ path: `${PICTURES}/${name}${look}.png`, fullPage: true });
    await page.setViewportSize({ width: 390, height: 800 });
    await page.screenshot({ path: `${PICTURES}/${name}-phone${look}.png`, fullPage: true });
  }
  await page.emulateMedia({ colorScheme: 'light' });
  if (size) await page.setViewportSize(size);
}

test('a partner limits the users of an app, an operator lowers the ceiling, and the user sees why requests are refused', async ({
  page,
  service,
  browser,
}) => {
  test.setTimeout(180_000);
  const owner = newEmail();
  const name = `Quay ${Date.now().toString(36)}`;
  const { partner_id: app, publishable_key: publishableKey } = runCommand([
    'partner',
    'create',
    '--name',
    name,
    '--rate',
    '25',
    '--owner',
    owner,
  ]) as Record<'partner_id' | 'publishable_key', string>;

  const email = newEmail();
  const post = async (path: string, body: object, key = '') => {
    const headers = { 'content-type': 'application/json', ...(key && { authorization: `Bearer ${key}` }) };
    const response = await fetch(service + path, { method: 'POST', headers, body: JSON.stringify(body) });
    return (await response.json()) as Record<string, unknown>;
  };
  const ofUser = { publishable_key: publishableKey, email };
  const { challenge_id } = await post('/v1/auth/send-code', ofUser);
  const code = await readCode(page, service, email);
  const signedIn = await post('/v1/auth/verify-code', { ...ofUser, challenge_id, code });
  const [userKey, user] = [String(signedIn.user_key), String(signedIn.user_id)];
  await runSql(
    `SELECT ledger_deposit(u.user_id, u.partner_id, 'adjustment', 'grant_' || $1, 'txn_' || $1,
       1000000000, 1000000000, 'promotion_expense', 'for this test', interval '1 day')
     FROM user_app u WHERE u.partner_id = $1`,
    [app],
  );
  const send = async () => {
    const messages = [{ role: 'user', content: 'Tell me about the sea. '.repeat(2_000) }];
    const asked = { model: 'sandbox/echo', max_tokens: 500, messages };
    const { error } = (await post('/v1/chat/completions', asked, userKey)) as { error?: { param: string } };
    return error === undefined ? 'served' : error.param;
  };
  expect(await send()).toBe('served');

  await signInTo(page, service, owner, `/partner/${app}/limits`);
  await expect(page.getByText('No users near their limit')).toBeVisible();
  await picture(page, 'partner-limits-empty');
  const ofEach = page.getByRole('region', { name: 'Limits of each user' });
  await ofEach.getByLabel('Credits per day').fill('some');
  await ofEach.getByRole('button', { name: 'Save limits' }).click();
  await expect(page.getByText('Enter a number of credits above zero')).toBeVisible();
  await ofEach.getByLabel('Credits per day').fill('6');
  await ofEach.getByLabel('Credits per month').fill('500');
  await ofEach.getByRole('button', { name: 'Save limits' }).click();
  await expect(page.getByText('Limits saved. They apply to the next request.')).toBeVisible();
  await expect.poll(send, { timeout: 60_000 }).toBe('limits.partner.day');

  await page.reload();
  const near = page.getByRole('region', { name: 'Users near their limit', exact: true });
  await expect(near.getByRole('row', { name: user })).toContainText('of 6.00');
  await near.getByRole('link', { name: user }).first().click();
  const ofOne = page.getByRole('region', { name: 'Limits of individual users' });
  await expect(ofOne.getByLabel('User ID')).toHaveValue(user);
  await ofOne.getByLabel('Credits per month').fill('800');
  await ofOne.getByLabel('Models', { exact: true }).selectOption('All except selected models');
  await ofOne.getByLabel('Search models').fill('sandbox story');
  await ofOne.getByRole('checkbox', { name: /sandbox\/story/ }).check();
  await ofOne.getByRole('button', { name: 'Save limits of the user' }).click();
  await expect(ofOne.getByRole('row', { name: user })).toContainText(
    '800 credits per month; all models except sandbox/story',
  );
  await expectAccessibleLayout(page);
  await picture(page, 'partner-limits');
  expect(await send()).toBe('served');
  await ofOne.getByRole('button', { name: `Remove: ${user}` }).click();
  await page.getByRole('alertdialog').getByRole('button', { name: 'Remove' }).click();
  await expect(page.getByText('The limits of all users apply to this user again.')).toBeVisible();
  await expect(ofOne.getByRole('row', { name: user })).toHaveCount(0);
  expect(await send()).toBe('limits.partner.day');

  const operator = await (await browser.newContext()).newPage();
  await signInTo(operator, service, OPERATOR_EMAIL, `/operator/apps/${app}`);
  await operator.getByRole('button', { name: 'Change ceiling' }).click();
  const dialog = operator.getByRole('dialog');
  await dialog.getByLabel('Credits per month').fill('0');
  await dialog.getByLabel('Reason').fill('agreed by telephone');
  await dialog.getByRole('button', { name: 'Change ceiling' }).click();
  await expect(dialog.getByText('Enter a number of credits above zero')).toBeVisible();
  await dialog.getByLabel('Credits per month').fill('1');
  await picture(operator, 'operator-ceiling');
  await dialog.getByRole('button', { name: 'Change ceiling' }).click();
  await expect(operator.getByText('Ceiling saved')).toBeVisible();
  await expect(operator.getByText('1 credit per month', { exact: true })).toBeVisible();
  await expectAccessibleLayout(operator);
  await picture(operator, 'operator-app');
  expect(await send()).toBe('limits.partner.month');
  await operator.goto(`${service}/operator/apps`);
  await expect(operator.getByRole('heading', { name: 'Default limits' })).toBeVisible();
  await expectAccessibleLayout(operator);
  await picture(operator, 'operator-apps');
  await operator.context().close();

  await page.reload();
  await ofEach.getByLabel('Credits per month').fill('2');
  await ofEach.getByRole('button', { name: 'Save limits' }).click();
  await expect(page.getByText('Enter at most 1, the most that this service allows.')).toBeVisible();
  await expectAccessibleLayout(page);
  await page.goto(`${service}/partner/${app}/team/log`);
  await expect(page.getByText('Changed the limits of users').first()).toBeVisible();

  const account = await (await browser.newContext()).newPage();
  await signInTo(account, service, email, `/account/apps/${app}`);
  await expect(account.getByText(`The limit that ${name} set,`)).toBeVisible();
  const set = account.getByRole('region', { name: 'Limits set by the app' });
  await expect(set.getByText(/ of 6 credits/)).toBeVisible();
  await expect(set.getByText(/ of 1 credit\b/)).toBeVisible();
  await expectAccessibleLayout(account);
  await picture(account, 'account-app');
  await account.context().close();
});
