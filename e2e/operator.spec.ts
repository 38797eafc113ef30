import { type Cookie, expect, type Locator, type Page } from 'playwright/test';
import { YEAR_APP, YEAR_HEAVY_USER } from '../tests/reports/year/people';
import { expectGoodAppearance } from './fixtures/appearance';
import {
  chooseAmount,
  demoAddress,
  newEmail,
  openCheckout,
  payByCard,
  signIn,
  test,
} from './fixtures/checkout-walk';
import { expectAccessibleLayout, expectRecovery, signInTo } from './fixtures/dashboard';
import { runSql, withoutTable } from './fixtures/database';
import { OPERATOR_EMAIL, runCommand } from './fixtures/server';
import { ageSignIns, findPresenceDialog, readConfirmationCode } from './fixtures/sign-ins';

/** What an operator does, on an installation with a year of activity. */

test.describe.configure({ timeout: 120_000 });

test('an operator views every page and moves credits with a reason, which the audit log records', async ({
  page,
  service,
}) => {
  await openDashboard(page, service);
  await expect(page.getByRole('heading', { name: 'Overview' })).toBeVisible();
  await expectAccessibleLayout(page);
  await page.getByRole('link', { name: '12 months' }).click();
  // The twelve months start on the first of a month, so they may exclude some days of the year.
  await expect(page.getByText(/^(1[789]\d|200),\d{3}$/)).toBeVisible();

  for (const [link, heading] of [
    ['Payments', 'Payments'],
    ['Promotions', 'Promotions'],
    ['Abuse', 'Abuse'],
    ['Overruns', 'Overruns'],
    ['Providers', 'Providers'],
    ['Webhooks', 'Webhooks'],
    ['Models and prices', 'Models and prices'],
    ['Audit log', 'Audit log'],
  ] as const) {
    await page.getByRole('navigation', { name: 'Dashboard' }).getByRole('link', { name: link }).click();
    await expect(page.getByRole('heading', { name: heading, level: 1 })).toBeVisible();
    await expectAccessibleLayout(page);
  }

  await page.getByRole('link', { name: 'Payments', exact: true }).click();
  await page.getByRole('link', { name: 'Stripe set-up' }).click();
  await expect(page.getByRole('heading', { name: 'Stripe set-up', level: 1 })).toBeVisible();
  await expect(page.getByText('acct_sandbox takes payments.')).toBeVisible();
  await expect(page.getByText('Invoices: not offered.')).toBeVisible();
  await expectAccessibleLayout(page);
  await page.getByRole('link', { name: 'Check again' }).click();
  await expect(page.getByText(/sends all \d+ events/)).toBeVisible();

  await page.getByRole('link', { name: 'Models and prices' }).click();
  await page.getByLabel('Search models').fill('no such model');
  await expect(page.getByText('No models found')).toBeVisible();
  await page.getByLabel('Search models').fill('claude-sonnet-5-5');
  const row = page.getByRole('row').filter({ hasText: 'anthropic/claude-sonnet-5-5' }).first();
  await expect(row.getByRole('cell', { name: '10.00', exact: true })).not.toHaveCount(0);
  await page.getByLabel('Search models').fill('gemini-3.8-flash');
  await page.getByRole('link', { name: 'google/gemini-3.8-flash', exact: true }).click();
  await expect(page.getByText('Current', { exact: true })).toHaveCount(1);
  await expect(page.getByRole('heading', { name: /^From / })).toHaveCount(2);
  await expectAccessibleLayout(page);

  await page.getByRole('link', { name: 'Apps', exact: true }).click();
  await expect(page.getByRole('heading', { name: 'Apps', level: 1 })).toBeVisible();
  await expectAccessibleLayout(page);
  await page.getByRole('link', { name: YEAR_APP.name }).click();
  await expect(page.getByRole('heading', { name: YEAR_APP.name, level: 1 })).toBeVisible();
  await expectAccessibleLayout(page);
  await page.getByRole('button', { name: 'Change rate cap' }).click();
  await page.getByLabel('Maximum, in percent').fill('60');
  await page.getByLabel('Reason').fill('agreed with the partner');
  await page.getByRole('dialog').getByRole('button', { name: 'Change rate cap' }).click();
  await expect(page.getByText('The partner may set it to at most 60%.')).toBeVisible();
  await expect(page.getByText(/rate cap: .* → 60/).first()).toBeVisible();

  await page.getByRole('link', { name: 'Users', exact: true }).click();
  await page.getByLabel('E-mail').fill('nobody@year.example');
  await page.getByRole('button', { name: 'Find user' }).click();
  await expect(page.getByText('No user has this e-mail address or ID')).toBeVisible();
  await expectAccessibleLayout(page);
  await page.getByLabel('E-mail').fill(YEAR_HEAVY_USER);
  await page.getByRole('button', { name: 'Find user' }).click();
  await expect(page.getByRole('heading', { name: YEAR_HEAVY_USER, level: 1 })).toBeVisible();
  expect(page.url()).not.toMatch(/usr_|year\.example/);
  await expectAccessibleLayout(page);
  await page
    .getByRole('link', { name: /^Receipt for the request/ })
    .first()
    .click();
  await expect(page.getByText('Commission to')).toBeVisible();
  await expectAccessibleLayout(page);

  const requestId = page.url().split('/').at(-1) ?? '';
  await page.getByRole('link', { name: 'Users', exact: true }).click();
  await page.getByLabel('E-mail').fill(requestId);
  await page.getByRole('button', { name: 'Find user' }).click();
  await expect(page.getByText('Commission to')).toBeVisible();
  expect(page.url()).toContain(requestId);
  await page.getByRole('link', { name: YEAR_HEAVY_USER }).click();

  await changeCredits(page, 'Give', '50');
  await expect(page.getByText('Gave credits').first()).toBeVisible();
  await changeCredits(page, 'Take', '20');
  await expect(page.getByText('Took credits').first()).toBeVisible();
  const outside = page.locator('dl > div').filter({ hasText: 'Outside any app' });
  await page.getByRole('button', { name: 'Take credits' }).click();
  await page.getByRole('button', { name: 'Continue' }).click();
  await expect(page.getByRole('dialog').getByText('Enter a number of credits above zero.')).toBeVisible();
  await expect(page.getByRole('dialog').getByText('Enter a reason.')).toBeVisible();
  await page.getByRole('dialog').getByLabel('Credits').fill('99999999');
  await page.getByRole('dialog').getByLabel('Reason').fill('too much');
  await page.getByRole('button', { name: 'Continue' }).click();
  await page
    .getByRole('dialog')
    .getByRole('button', { name: /^Take 99,999,999/ })
    .click();
  await expect(page.getByRole('alert').filter({ hasText: /At most .* credits can be taken/ })).toBeVisible();
  await expectAccessibleLayout(page);
  await page.keyboard.press('Escape');
  await expect(page.getByRole('dialog', { name: 'Take credits?' })).toBeHidden();
  await expect(outside).toBeVisible();
});

async function changeCredits(page: Page, kind: 'Give' | 'Take', credits: string): Promise<void> {
  await page.getByRole('button', { name: `${kind} credits` }).click();
  // A toast is a dialog too.
  const dialog = page.getByRole('dialog', { name: `${kind} credits` });
  await dialog.getByLabel('Credits').fill(credits);
  await dialog.getByLabel('Reason').fill('an apology');
  await dialog.getByRole('button', { name: 'Continue' }).click();
  await expect(dialog.getByText(YEAR_HEAVY_USER)).toBeVisible();
  await dialog.getByRole('button', { name: `${kind} ${credits} credits` }).click();
  await expect(dialog).toBeHidden();
}

test('an operator whose sign-in is old confirms with a code, and the action continues with what was entered', async ({
  page,
  service,
}) => {
  await openDashboard(page, service);
  await page.getByRole('link', { name: 'Users', exact: true }).click();
  await ageSignIns(OPERATOR_EMAIL);
  await page.getByLabel('E-mail').fill(YEAR_HEAVY_USER);
  await page.getByRole('button', { name: 'Find user' }).click();
  await page.getByRole('button', { name: 'Give credits' }).click();
  const form = page.getByRole('dialog', { name: /^Give credits/ });
  await form.getByLabel('Credits').fill('37');
  await form.getByLabel('Reason').fill('kept while confirming');
  await form.getByRole('button', { name: 'Continue' }).click();
  const give = form.getByRole('button', { name: 'Give 37 credits' });

  await give.click();
  await findPresenceDialog(page);
  await expectGoodAppearance(page, 'confirmation');
  await page.keyboard.press('Escape');
  await expect(form.getByText('Please confirm it’s you')).toBeVisible();
  await expect(form.getByText('kept while confirming')).toBeVisible();

  await give.click();
  const dialog = await findPresenceDialog(page);
  const code = await readConfirmationCode(page, service, OPERATOR_EMAIL);
  await dialog.getByLabel('Code').fill(code === '000000' ? '111111' : '000000');
  await expect(dialog.getByText('The code is incorrect.')).toBeVisible();
  await expectGoodAppearance(page, 'confirmation-wrong-code');
  await dialog.getByLabel('Code').fill(code);
  await expect(page.getByText('Credits given')).toBeVisible();
  await expect(form).toBeHidden();
  const entry = page.getByRole('row', { name: 'kept while confirming' });
  await expect(entry).toContainText('37');
  await expect(entry).toHaveCount(1);
  cookies = await page.context().cookies();
});

test('every operator action on an app, a purchase or an alert requires a reason and appears in the audit log', async ({
  page,
  service,
}) => {
  const buyer = newEmail();
  await buyCredits(page, service, buyer);
  const { partner_id: app } = runCommand(['partner', 'create', '--name', 'Night Owl', '--rate', '25']) as {
    partner_id: string;
  };
  await runSql(`UPDATE partner SET review = 'pending', disabled_at = now() WHERE id = $1`, [app]);
  await page.context().clearCookies();
  await openDashboard(page, service);
  await page.getByRole('link', { name: '1 app is waiting for approval' }).click();
  await page
    .getByRole('region', { name: 'Waiting for approval' })
    .getByRole('link', { name: 'Night Owl' })
    .click();
  await expect(page.getByRole('button', { name: 'Decline' })).toBeVisible();
  await act(page, 'Approve', { says: 'Approved' });

  await dismissByKeyboard(page, page.getByRole('button', { name: 'Disable' }));
  await act(page, 'Disable', { says: 'Disabled' });
  await act(page, 'Enable', { says: 'Enabled' });
  await act(page, 'Change models', {
    says: 'Models saved',
    fill: async (dialog) => {
      await dialog.getByRole('switch', { name: 'All models' }).click();
      await dialog.getByLabel('Model IDs').fill('sandbox/echo');
    },
  });
  await expect(page.getByText('1 model is allowed.')).toBeVisible();
  for (const action of [
    'Approved the app',
    'Disabled the app',
    'Enabled the app',
    'Changed the models',
    'Created the app',
  ])
    await expect(page.getByRole('cell', { name: action })).toBeVisible();

  await page.getByRole('link', { name: 'Users', exact: true }).click();
  await page.getByLabel('E-mail').fill(buyer);
  await page.getByRole('button', { name: 'Find user' }).click();
  await act(page, 'Refund', {
    says: '$2.00 refunded in total',
    fill: (dialog) => dialog.getByLabel('Amount in USD').fill('2'),
  });
  await expect(page.getByText('Partially refunded').first()).toBeVisible();
  await page.getByRole('button', { name: /^Refund/ }).click();
  await expect(page.getByLabel('Amount in USD')).toHaveValue('3.00');
  await page.keyboard.press('Escape');

  await runSql(
    `INSERT INTO payment_alert (id, kind, session_id, detail)
     SELECT 'dp_walk', 'dispute', id, 'fraudulent' FROM checkout_session WHERE user_id = (SELECT id FROM "user" WHERE email = $1)`,
    [buyer],
  );
  await page.getByRole('link', { name: 'Payments', exact: true }).click();
  await expect(page.getByRole('heading', { name: 'Payments', level: 1 })).toBeVisible();
  await expectAccessibleLayout(page);
  await act(page, 'Dismiss', { says: 'Dismissed' });

  await page.getByRole('link', { name: 'Audit log' }).click();
  for (const action of ['Dismissed an alert', 'Refunded a purchase', 'Requested a refund'])
    await expect(page.getByRole('row', { name: action })).toContainText([REASON]);
  await page.setViewportSize({ width: 375, height: 800 });
  await expect(page.getByRole('list', { name: 'Operator actions' }).getByText(REASON).first()).toBeVisible();
});

test('an operator finds overruns with their receipts, and resumes the user whom they paused', async ({
  page,
  service,
}) => {
  const buyer = newEmail();
  await buyCredits(page, service, buyer);
  const userKey = await page.evaluate(() => {
    const { Svc } = window as unknown as { Svc: { getUserKey(): string } };
    return Svc.getUserKey();
  });
  const generate = () =>
    fetch(`${service}/v1/chat/completions`, {
      method: 'POST',
      headers: { authorization: `Bearer ${userKey}` },
      body: JSON.stringify({
        model: 'sandbox/big-usage',
        max_tokens: 10,
        messages: [{ role: 'user', content: 'hi' }],
      }),
    });
  expect((await generate()).status).toBe(200);
  await runSql(
    `UPDATE wallet SET paused_at = clock_timestamp() WHERE user_id = (SELECT id FROM "user" WHERE email = $1)`,
    [buyer],
  );
  expect((await generate()).status).toBe(403);

  await page.context().clearCookies();
  await openDashboard(page, service);
  await page.getByRole('link', { name: '1 user or app is paused for review' }).click();
  const paused = page.getByRole('region', { name: 'Paused for review' });
  await expect(paused.getByRole('link', { name: buyer })).toBeVisible();
  const users = page.getByRole('region', { name: 'Overruns by user' });
  await expect(users.getByRole('row', { name: buyer })).toContainText(/5\.99\d\d/);
  await expectAccessibleLayout(page);

  await page.getByRole('link', { name: /^Receipt for the request/ }).click();
  await expect(page.getByText('Commission to')).toBeVisible();
  await page.goBack();
  await act(page, 'Resume', { says: 'Resumed' });
  await expect(paused).toHaveCount(0);
  expect((await generate()).status).toBe(200);
  await page.getByRole('link', { name: 'Audit log' }).click();
  await expect(page.getByRole('row', { name: 'Resumed the user' })).toContainText([REASON]);
});

test('an operator page that fails to load says so and recovers', async ({ page, service }) => {
  await openDashboard(page, service);
  await expectRecovery(page, {
    path: `${service}/operator/log`,
    heading: 'Audit log',
    broken: (work) => withoutTable('audit_entry', work),
  });
});

/** Codes to one address are sent half a minute apart, so the tests share one sign-in. */
let cookies: Cookie[] | undefined;
async function openDashboard(page: Page, service: string): Promise<void> {
  if (cookies === undefined) {
    await signInTo(page, service, OPERATOR_EMAIL, '/operator');
    cookies = await page.context().cookies();
  } else {
    await page.context().addCookies(cookies);
    await page.goto(`${service}/operator`);
  }
}

const REASON = 'as agreed by telephone';

type Action = { says: string; fill?: (dialog: Locator) => Promise<void> };

/** Opens the dialog, enters a reason and confirms. */
async function act(page: Page, name: string, { says, fill }: Action): Promise<void> {
  await page
    .getByRole('button', { name: new RegExp(`^${name}`) })
    .first()
    .click();
  const dialog = page.getByRole('dialog').filter({ has: page.getByLabel('Reason') });
  const confirm = dialog.getByRole('button', { name, exact: true });
  await confirm.click();
  await expect(dialog.getByText('Enter a reason.')).toBeVisible();
  await dialog.getByLabel('Reason').fill(REASON);
  if (fill) {
    await fill(dialog);
    await expectAccessibleLayout(page);
  }
  await confirm.click();
  await expect(page.getByText(says, { exact: true }).first()).toBeVisible();
  await expect(dialog).toBeHidden();
}

/** A dialog focuses its first field and returns the focus when it closes. */
async function dismissByKeyboard(page: Page, button: Locator): Promise<void> {
  await button.focus();
  await page.keyboard.press('Enter');
  await expect(page.getByLabel('Reason')).toBeFocused();
  await page.keyboard.press('Escape');
  await expect(page.getByLabel('Reason')).toHaveCount(0);
  await expect(button).toBeFocused();
}

async function buyCredits(page: Page, service: string, email: string): Promise<void> {
  await page.goto(demoAddress(service));
  const checkout = await openCheckout(page);
  await signIn(page, checkout, service, email);
  await chooseAmount(checkout, /\$5\b/);
  await payByCard(checkout, '4242 4242 4242 4242');
  await expect(checkout.getByRole('heading', { name: '500 credits added' })).toBeVisible();
}

test('for everyone else the operator dashboard does not exist', async ({ page, service }) => {
  await page.goto(`${service}/operator`);
  await expect(page).toHaveURL(/\/sign-in/);
  await signInTo(page, service, newEmail(), '/account');
  for (const path of ['', '/apps', '/users', '/log', `/apps/${YEAR_APP.id}`])
    expect((await page.goto(`${service}/operator${path}`))?.status(), path).toBe(404);
});
