import { expect } from 'playwright/test';
import { PICTURES } from './fixtures/appearance';
import { test } from './fixtures/checkout-walk';
import { expectAccessibleLayout } from './fixtures/dashboard';
import { runSql } from './fixtures/database';
import { signUpInNativeApp } from './fixtures/native-app';

test('a user starts the playground, talks to a model, sees what it cost, runs out and copies the code', async ({
  page,
  service,
}) => {
  test.setTimeout(120_000);
  const { keyId } = await signUpInNativeApp(page, service);
  await runSql(
    `SELECT ledger_deposit(user_id, partner_id, 'adjustment', 'grant_play', 'txn_play_e2e', 1000000000, 1000000000,
       'promotion_expense', 'for this test', interval '1 day') FROM user_key WHERE id = $1`,
    [keyId],
  );
  const picture = async (name: string) => {
    if (PICTURES === undefined) return;
    await page.screenshot({ path: `${PICTURES}/playground-${name}.png`, fullPage: true });
    await page.setViewportSize({ width: 375, height: 800 });
    await page.emulateMedia({ colorScheme: 'dark' });
    await page.screenshot({ path: `${PICTURES}/playground-${name}-phone-dark.png`, fullPage: true });
    await page.emulateMedia({ colorScheme: 'light' });
    await page.setViewportSize({ width: 1280, height: 900 });
  };
  await page.goto(`${service}/account`);
  await page.getByRole('link', { name: 'Playground' }).click();
  await page.getByLabel('Credits it can spend').fill('none');
  await page.getByRole('button', { name: 'Start' }).click();
  await expect(page.getByText('Enter a number of credits above zero')).toBeVisible();
  await picture('start');
  await page.getByLabel('Credits it can spend').fill('1.5');
  await page.getByRole('button', { name: 'Start' }).click();

  await page.getByLabel('Model').selectOption('sandbox/echo');
  await page.getByRole('button', { name: 'Send' }).click();
  await expect(page.getByText('Write a message first.')).toBeVisible();
  await page.getByLabel('Message').fill('The sea at night');
  await page.getByLabel('Message').press('Enter');
  await expect(page.getByTestId('cost')).toHaveText(
    /^sandbox\/echo · 0\.\d+ credits · \d+ tokens in, \d+ out$/,
  );
  await expect(page.getByTestId('total')).toHaveText(/^0\.\d+ credits in all$/);
  await expectAccessibleLayout(page);
  await picture('answer');

  await page.getByRole('button', { name: 'View code' }).click();
  await expect(page.getByRole('dialog')).toContainText('The sea at night');
  await page.getByLabel('Client').selectOption({ label: 'Anthropic, JavaScript' });
  await expect(page.getByRole('dialog')).toContainText('new Anthropic');
  await expectAccessibleLayout(page);
  await picture('code');
  await page.getByRole('button', { name: 'Close' }).click();

  await page.getByLabel('Message').fill('Tell me everything about the sea. '.repeat(20_000));
  await page.getByLabel('Message').press('Enter');
  await expect(page.getByRole('link', { name: 'Raise its allowance' })).toHaveAttribute(
    'href',
    /\/continue\?token=/,
  );
  await expect(page.getByRole('list', { name: 'Conversation' }).getByRole('listitem')).toHaveCount(2);
  await picture('refused');
  await page.getByRole('button', { name: 'New conversation' }).click();
  await expect(page.getByRole('list', { name: 'Conversation' })).toBeHidden();
});
