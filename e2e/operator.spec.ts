import { expect, type Page } from '@playwright/test';
import { YEAR_APP, YEAR_HEAVY_USER } from '../tests/year/people';
import { expectAccessibleInLightAndDark } from './fixtures/accessibility';
import { readCode, test } from './fixtures/checkout-walk';
import { OPERATOR_EMAIL } from './fixtures/server';
import { ensureYear } from './fixtures/year';

/** What an operator does, on an install with a year of activity. */

test.setTimeout(120_000);
test.beforeAll(async () => {
  test.setTimeout(120_000);
  await ensureYear();
});

async function signIn(page: Page, service: string, email: string, path: string): Promise<void> {
  await page.goto(`${service}/sign-in?return=${encodeURIComponent(path)}`);
  await page.getByLabel('E-mail').fill(email);
  await page.getByRole('button', { name: 'Send code' }).click();
  await expect(page.getByRole('heading', { name: 'Check your mail' })).toBeVisible();
  await page.getByLabel('Code').fill(await readCode(page, service, email));
  await expect(page).toHaveURL(service + path);
}

test('an operator looks at everything, moves credits with a reason, and the log says so', async ({
  page,
  service,
}) => {
  await signIn(page, service, OPERATOR_EMAIL, '/operator');
  await expect(page.getByRole('heading', { name: 'Overview' })).toBeVisible();
  await expectAccessibleInLightAndDark(page);
  await page.getByRole('link', { name: '12 months' }).click();
  // Twelve months begin on a first, so some days of the year lie before them.
  await expect(page.getByText(/^1[789],\d{3}$/)).toBeVisible();

  for (const [link, heading] of [
    ['Payments', 'Payments that need attention'],
    ['Providers', 'Providers'],
    ['Webhooks', 'Webhooks'],
    ['Models and prices', 'Models and prices'],
    ['Audit log', 'Audit log'],
  ] as const) {
    await page.getByRole('navigation', { name: 'Dashboard' }).getByRole('link', { name: link }).click();
    await expect(page.getByRole('heading', { name: heading, level: 1 })).toBeVisible();
    await expectAccessibleInLightAndDark(page);
  }

  await page.getByRole('link', { name: 'Apps', exact: true }).click();
  await page.getByRole('link', { name: YEAR_APP.name }).click();
  await expect(page.getByRole('heading', { name: YEAR_APP.name, level: 1 })).toBeVisible();
  await expectAccessibleInLightAndDark(page);
  await page.getByRole('button', { name: 'Change rate cap' }).click();
  await page.getByLabel('At most, in percent').fill('60');
  await page.getByLabel('Reason').fill('agreed with the partner');
  await page.getByRole('dialog').getByRole('button', { name: 'Change rate cap' }).click();
  await expect(page.getByText('The partner may set it to 60 % at most.')).toBeVisible();
  await expect(page.getByText(/rate cap: .* → 60/).first()).toBeVisible();

  await page.getByRole('link', { name: 'Users', exact: true }).click();
  await page.getByLabel('E-mail').fill('nobody@year.example');
  await page.getByRole('button', { name: 'Find user' }).click();
  await expect(page.getByText('Nobody has signed in with exactly this address')).toBeVisible();
  await expectAccessibleInLightAndDark(page);
  await page.getByLabel('E-mail').fill(YEAR_HEAVY_USER);
  await page.getByRole('button', { name: 'Find user' }).click();
  await expect(page.getByRole('heading', { name: YEAR_HEAVY_USER, level: 1 })).toBeVisible();
  expect(page.url()).not.toMatch(/usr_|year\.example/);
  await expectAccessibleInLightAndDark(page);

  await changeCredits(page, 'Give', '50');
  await expect(page.getByText('Gave credits').first()).toBeVisible();
  await changeCredits(page, 'Take', '20');
  await expect(page.getByText('Took credits').first()).toBeVisible();
  const outside = page.locator('dl > div').filter({ hasText: 'Outside any app' });
  await page.getByRole('button', { name: 'Take credits' }).click();
  await page.getByRole('dialog').getByLabel('Credits').fill('99999999');
  await page.getByRole('dialog').getByLabel('Reason').fill('too much');
  await page.getByRole('button', { name: 'Continue' }).click();
  await page
    .getByRole('dialog')
    .getByRole('button', { name: /^Take 99999999/ })
    .click();
  await expect(page.getByRole('alert').filter({ hasText: /At most .* credits can be taken/ })).toBeVisible();
  await expectAccessibleInLightAndDark(page);
  await page.keyboard.press('Escape');
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

test('to everybody else the console does not exist', async ({ page, service }) => {
  await page.goto(`${service}/operator`);
  await expect(page).toHaveURL(/\/sign-in/);
  await signIn(page, service, YEAR_HEAVY_USER, '/account');
  for (const path of ['', '/apps', '/users', '/log', `/apps/${YEAR_APP.id}`])
    expect((await page.goto(`${service}/operator${path}`))?.status(), path).toBe(404);
});
