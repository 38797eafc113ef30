import { expect, type Page } from 'playwright/test';
import { expectGoodAppearance, PICTURES } from './fixtures/appearance';
import { newEmail, test } from './fixtures/checkout-walk';
import { expectAccessibleLayout, signInTo } from './fixtures/dashboard';
import { runSql } from './fixtures/database';
import { signUpInNativeApp } from './fixtures/native-app';
import { ageSignIns, confirmPresence } from './fixtures/sign-ins';

type Mail = { subject: string; text: string; html: string };

/** The newest mail with the subject, which a background job sends a few seconds later. */
async function readMail(page: Page, service: string, email: string, subject: RegExp): Promise<Mail> {
  let found: Mail | undefined;
  const find = async () => {
    const response = await page.request.get(`${service}/dev/mail/messages?to=${encodeURIComponent(email)}`);
    found = ((await response.json()) as Mail[]).find((mail) => subject.test(mail.subject));
    return found?.subject;
  };
  await expect.poll(find, { timeout: 45_000 }).toBeDefined();
  return found as Mail;
}

const linkIn = ({ text }: Mail, path: string): string =>
  new RegExp(`http\\S+/${path}\\?token=[\\w-]+`).exec(text)?.[0] ?? '';

/** Takes a screenshot of one section, wide and light, and on a phone and in the dark. */
async function picture(page: Page, section: string, name: string): Promise<void> {
  if (PICTURES === undefined) return;
  const size = page.viewportSize();
  await page.locator(section).screenshot({ path: `${PICTURES}/${name}.png` });
  await page.setViewportSize({ width: 390, height: 800 });
  await page.emulateMedia({ colorScheme: 'dark' });
  await page.locator(section).screenshot({ path: `${PICTURES}/${name}-phone-dark.png` });
  await page.emulateMedia({ colorScheme: 'light' });
  if (size) await page.setViewportSize(size);
}

test('a user who overspends is warned at 50, 80 and 100%, stops all apps from the mail, resumes them and unsubscribes @attack', async ({
  page,
  service,
  browser,
}) => {
  test.setTimeout(180_000);
  const { email, userKey, keyId } = await signUpInNativeApp(page, service);
  await runSql(
    `SELECT ledger_deposit(user_id, partner_id, 'adjustment', 'grant_warnings', 'txn_warnings_e2e', 1000000000, 1000000000,
       'promotion_expense', 'for this test', interval '1 day') FROM user_key WHERE id = $1`,
    [keyId],
  );
  const headers = { authorization: `Bearer ${userKey}`, 'content-type': 'application/json' };
  const send = async () => {
    const content = 'Tell me about the sea. '.repeat(4_000);
    const body = JSON.stringify({
      model: 'sandbox/echo',
      max_tokens: 4_000,
      messages: [{ role: 'user', content }],
    });
    const response = await fetch(`${service}/v1/chat/completions`, { method: 'POST', headers, body });
    const { error } = await response.json();
    return error === undefined ? 'served' : `${response.status} ${error.param}`;
  };
  const readLeft = async () => {
    const response = await fetch(`${service}/v1/credits/balance`, { headers });
    return ((await response.json()) as { balance: number }).balance;
  };
  /** Until at most so many credits of the limit are left. */
  const spendUntil = async (left: number) => {
    for (let sent = 0; (await readLeft()) > left; sent++) {
      expect(sent).toBeLessThan(200);
      expect(await send()).toBe('served');
    }
  };

  await page.goto(`${service}/account/limits`);
  await page.getByLabel('Credits per day').fill('10');
  await page.getByRole('button', { name: 'Save limits of all apps' }).click();
  await expect(page.getByText(/ of 10 credits/)).toBeVisible();
  const atShares = page.getByRole('switch', { name: 'At 50, 80 and 100%' });
  await expect(atShares).not.toBeChecked();
  await atShares.click();
  await expect(page.getByText('E-mails turned on')).toBeVisible();
  await page.reload();
  await expect(atShares).toBeChecked();
  for (const other of ['Unusual spending', 'Weekly summary'])
    await expect(page.getByRole('switch', { name: other })).not.toBeChecked();
  await expectAccessibleLayout(page);
  await picture(page, '#mails', 'mails');

  await spendUntil(5);
  await readMail(page, service, email, /^You have used 50% of your limit per day for all apps$/);
  await spendUntil(2);
  await readMail(page, service, email, /^You have used 80% of your limit per day for all apps$/);
  await expect.poll(send, { timeout: 30_000 }).toBe('402 limits.all.day');
  const reached = await readMail(page, service, email, /^You have reached your limit per day for all apps$/);
  expect(reached.text).toContain('Requests are refused until the limit resets on');

  const elsewhere = await (await browser.newContext()).newPage();
  await elsewhere.setContent(reached.html);
  if (PICTURES) await elsewhere.screenshot({ path: `${PICTURES}/warning-mail.png` });
  await elsewhere.goto(linkIn(reached, 'stop'));
  await elsewhere.getByRole('button', { name: 'Stop all apps' }).click();
  await expect(elsewhere.getByRole('heading', { name: 'All apps are stopped' })).toBeVisible();
  expect(await send()).toBe('402 limits.all.stop');

  await ageSignIns(email);
  await page.goto(`${service}/account/limits`);
  await expect(page.getByText('You stopped all apps')).toBeVisible();
  await page.getByRole('button', { name: 'Resume all apps' }).click();
  await confirmPresence(page, service, email);
  await expect(page.getByText('You stopped all apps')).toHaveCount(0);
  expect(await send()).toBe('402 limits.all.day');

  await elsewhere.goto(linkIn(reached, 'unsubscribe'));
  await expect(elsewhere.getByRole('heading', { name: 'Unsubscribe?' })).toBeVisible();
  await expectGoodAppearance(elsewhere, 'unsubscribe');
  await page.reload();
  await expect(atShares).toBeChecked();
  await elsewhere.getByRole('button', { name: 'Unsubscribe' }).click();
  await expect(elsewhere.getByRole('heading', { name: 'You are unsubscribed' })).toBeVisible();
  await expectGoodAppearance(elsewhere, 'unsubscribed');
  await elsewhere.goto(`${service}/unsubscribe?token=none`);
  await expect(elsewhere.getByRole('heading', { name: 'This link does not work' })).toBeVisible();
  await elsewhere.context().close();
  await page.reload();
  await expect(atShares).not.toBeChecked();
});

test('an owner turns alerts on, gets one when errors rise, and finds its request on the Errors page', async ({
  page,
  service,
}) => {
  test.setTimeout(120_000);
  const email = newEmail();
  await signInTo(page, service, email, '/partner/new');
  await page.getByLabel('Name').fill('Lighthouse alerts');
  await page.getByRole('button', { name: 'Create app' }).click();
  await expect(page.getByText('0 of 5 done')).toBeVisible();
  const app = page.url();
  await page.goto(`${app}/team`);
  const alerts = page.getByRole('switch', { name: 'Alerts by e-mail' });
  await expect(alerts).not.toBeChecked();
  await alerts.click();
  await expect(page.getByText('Alerts turned on')).toBeVisible();
  await page.reload();
  await expect(alerts).toBeChecked();
  await expectAccessibleLayout(page);
  await picture(page, '#alerts', 'alerts');

  await runSql(
    `INSERT INTO refusal_hour VALUES (date_trunc('hour', now()), $1, 'upstream_error', 40, 'req_FirstFailedInTheHour')`,
    [app.split('/').at(-1)],
  );
  const { text } = await readMail(page, service, email, /^Errors are rising: your app$/);
  expect(text).toContain('upstream_error: 40. The first failed request: req_FirstFailedInTheHour');
  await page.goto(/http\S+\/errors/.exec(text)?.[0] ?? '');
  await expect(page.getByText('req_FirstFailedInTheHour').filter({ visible: true })).toBeVisible();
  await expectAccessibleLayout(page);
  await picture(page, 'main', 'errors');
});
