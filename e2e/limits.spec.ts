import { expect } from 'playwright/test';
import { PICTURES } from './fixtures/appearance';
import { demoAddress, openCheckout, readCode, test } from './fixtures/checkout-walk';
import { expectAccessibleLayout } from './fixtures/dashboard';
import { runSql } from './fixtures/database';
import { signUpInNativeApp } from './fixtures/native-app';
import { ageSignIns, confirmPresence, findPresenceDialog } from './fixtures/sign-ins';

/** Where it is day, so that no day ends during the test and no limit starts again. */
const hourUtc = new Date().getUTCHours();
const ZONE = hourUtc >= 6 && hourUtc < 18 ? 'Europe/Berlin' : 'Pacific/Auckland';

test('a user limits an app, reaches the limit, stops all apps from a mail and resumes them @attack', async ({
  page,
  service,
  browser,
}) => {
  test.setTimeout(300_000);
  const { email, userKey, keyId } = await signUpInNativeApp(page, service);
  await runSql(
    `SELECT ledger_deposit(user_id, partner_id, 'adjustment', 'grant_limits', 'txn_limits_e2e', 1000000000, 1000000000,
       'promotion_expense', 'for this test', interval '1 day') FROM user_key WHERE id = $1`,
    [keyId],
  );
  const send = async () => {
    const response = await fetch(`${service}/v1/chat/completions`, {
      method: 'POST',
      headers: { authorization: `Bearer ${userKey}`, 'content-type': 'application/json' },
      body: JSON.stringify({
        model: 'sandbox/echo',
        max_tokens: 500,
        messages: [{ role: 'user', content: 'Tell me about the sea. '.repeat(200) }],
      }),
    });
    const { error } = await response.json();
    return error === undefined ? 'served' : `${response.status} ${error.param}`;
  };
  const picture = async (name: string, of = page) => {
    if (PICTURES === undefined) return;
    await of.screenshot({ path: `${PICTURES}/${name}.png`, fullPage: true });
    const size = of.viewportSize();
    await of.setViewportSize({ width: 375, height: 800 });
    await of.emulateMedia({ colorScheme: 'dark' });
    await of.screenshot({ path: `${PICTURES}/${name}-phone-dark.png`, fullPage: true });
    await of.emulateMedia({ colorScheme: 'light' });
    if (size) await of.setViewportSize(size);
  };
  const goToLimits = () => page.goto(`${service}/account/limits`);
  expect(await send()).toBe('served');

  await page.goto(`${service}/account/apps`);
  await page.getByRole('link', { name: /Demo/ }).click();
  await page.getByLabel('Credits per day').fill('none');
  await page.getByRole('button', { name: /^Save limits of/ }).click();
  await expect(page.getByText('Enter a number of credits above zero')).toBeVisible();
  await page.getByLabel('Credits per day').fill('1.5');
  await page.getByLabel('Time zone').selectOption(ZONE);
  await page.getByRole('button', { name: /^Save limits of/ }).click();
  await expect(page.getByText(/ of 1\.5 credits/)).toBeVisible();
  await expectAccessibleLayout(page);
  await picture('app-limits');
  await expect.poll(send).toBe('402 limits.app.day');

  const inApp = await (await browser.newContext()).newPage();
  await inApp.goto(demoAddress(service));
  const checkout = await openCheckout(inApp);
  await checkout.getByLabel('E-mail').fill(email);
  await checkout.getByRole('button', { name: 'Send code' }).click();
  await checkout.getByLabel('Code').fill(await readCode(inApp, service, email));
  await expect(
    checkout.getByRole('heading', { name: 'Demo app cannot spend your credits now' }),
  ).toBeVisible();
  await expect(checkout.getByRole('link', { name: 'Change your limits' })).toHaveAttribute(
    'href',
    /\/account\/apps\/prt_\w+$/,
  );
  const expectBar = async () => {
    await expect(checkout.getByText('Your limit per day, this app')).toBeVisible();
    await expect(checkout.getByText(/^\d[.\d]* of 1\.5 credits$/)).toBeVisible();
    await expect(checkout.getByText(/^Resets \w+ \d+, \d{4}/)).toBeVisible();
    await expectAccessibleLayout(inApp);
  };
  await expectBar();
  await picture('checkout-limit', inApp);
  await checkout.getByRole('button', { name: /: account$/ }).click();
  await expect(checkout.getByRole('heading', { name: 'Your credits' })).toBeVisible();
  await expectBar();
  await picture('checkout-account-limit', inApp);
  await inApp.context().close();

  await goToLimits();
  await expect(page.getByText(/ of 1\.5 credits/)).toBeVisible();
  await page.getByLabel('Models', { exact: true }).selectOption('All except selected models');
  await page.getByLabel('Search models').fill('sandbox echo');
  await page.getByRole('checkbox', { name: /sandbox\/echo/ }).check();
  await page.getByLabel('Credits per month').fill('5,000');
  await page.getByRole('button', { name: 'Save limits of all apps' }).click();
  await expect(page.getByText('Never with sandbox/echo.')).toBeVisible();
  await expectAccessibleLayout(page);
  await picture('limits');
  expect(await send()).toBe('402 limits.all.model');
  await page.getByRole('button', { name: 'Remove limits' }).click();
  await expect(page.getByText('Never with sandbox/echo.')).toHaveCount(0);
  expect(await send()).toBe('402 limits.app.day');

  // As the background job records it for a key that was used in an unusual way.
  await runSql(
    `INSERT INTO due_mail (kind, ref, due_at)
     VALUES ('key', jsonb_build_object('keyId', $1::text, 'at', now(), 'notice', $2::jsonb), now())`,
    [keyId, JSON.stringify({ kind: 'unusual_use', reason: 'new_network', network: '198.51.0.0/16' })],
  );
  let link: string | undefined;
  const findLink = async () => {
    const mails = await page.request.get(`${service}/dev/mail/messages?to=${encodeURIComponent(email)}`);
    link = /http[^"\s\\]+\/stop\?token=[\w-]+/.exec(await mails.text())?.[0];
    return link;
  };
  await expect.poll(findLink, { timeout: 30_000 }).toBeDefined();
  const elsewhere = await (await browser.newContext()).newPage();
  await elsewhere.goto(link ?? '');
  await expect(elsewhere.getByRole('heading', { name: /^Stop .+\?$/ })).toBeVisible();
  await expectAccessibleLayout(elsewhere);
  await picture('stop', elsewhere);
  expect(await send()).toBe('402 limits.app.day');
  await elsewhere.getByRole('button', { name: /^Stop (?!all apps)/ }).click();
  await expect(elsewhere.getByRole('heading', { name: /is stopped$/ })).toBeVisible();
  await expectAccessibleLayout(elsewhere);
  await picture('stop-app', elsewhere);
  expect(await send()).toBe('402 limits.app.stop');
  await elsewhere.getByRole('button', { name: 'Stop all apps' }).click();
  await expect(elsewhere.getByRole('heading', { name: 'All apps are stopped' })).toBeVisible();
  await expectAccessibleLayout(elsewhere);
  expect(await send()).toBe('402 limits.all.stop');
  await elsewhere.context().close();

  await ageSignIns(email);
  await goToLimits();
  await expect(page.getByText('You stopped all apps')).toBeVisible();
  await expectAccessibleLayout(page);
  await picture('stopped');
  await page.getByRole('button', { name: 'Resume all apps' }).click();
  await findPresenceDialog(page);
  expect(await send()).toBe('402 limits.all.stop');
  await confirmPresence(page, service, email);
  await expect(page.getByText('You stopped all apps')).toHaveCount(0);
  expect(await send()).toBe('402 limits.app.stop');
  await page.getByRole('link', { name: /Demo/ }).click();
  await page.getByRole('button', { name: /^Resume / }).click();
  await expect(page.getByText(/^You stopped /)).toHaveCount(0);
  expect(await send()).toBe('402 limits.app.day');
  await goToLimits();

  await page.getByRole('button', { name: 'Stop all apps' }).click();
  await expect(page.getByText('You stopped all apps')).toBeVisible();
  expect(await send()).toBe('402 limits.all.stop');
});
