import { expect, type Locator, type Page } from 'playwright/test';
import { expectGoodAppearance } from './fixtures/appearance';
import { newEmail, test } from './fixtures/checkout-walk';
import { signInTo } from './fixtures/dashboard';
import { runSql } from './fixtures/database';
import { OPERATOR_EMAIL, runCommand } from './fixtures/server';

/** Payouts that an operator makes by hand: planned, approved, recorded, returned, paid again, and offset. */

test.use({ locale: 'en-US', timezoneId: 'UTC' });
test.describe.configure({ timeout: 240_000 });

const IBAN = 'AT61 1904 3002 3457 3201';
const REASON = 'as agreed by telephone';
const DEAL = { name: 'Tide Tables', amount: '$125.00' };

/** Matured long ago; negative for what a dispute took back. */
const earn = (partnerId: string, day: string, kind: 'earned' | 'reversed', microcredits: bigint) =>
  runSql(
    `INSERT INTO earnings_day (partner_id, day, model, kind, requests, amount)
     VALUES ($1, (now() - $2::interval)::date, 'sandbox/story', $3, 1, $4)`,
    [partnerId, day, kind, microcredits],
  );

/** A month has one payout, so that the next one needs a month to pass. */
const passMonth = async () => {
  await runSql('ALTER TABLE payout DISABLE TRIGGER USER');
  await runSql(
    `UPDATE payout SET period = period - interval '1 month', created_at = created_at - interval '31 days'`,
  );
  await runSql('ALTER TABLE payout ENABLE TRIGGER USER');
};

test('a partner is paid by hand, returned by the bank, paid again, and charged back after that', async ({
  page,
  service,
  browser,
}) => {
  const owner = newEmail();
  const { partner_id: app } = runCommand([
    'partner',
    'create',
    '--name',
    DEAL.name,
    '--rate',
    '25',
    '--owner',
    owner,
  ]) as { partner_id: string };
  await earn(app, '200 days', 'earned', 12_500_400_000n);

  const partnerWindow = await browser.newContext({ locale: 'en-US', timezoneId: 'UTC' });
  const partner = await partnerWindow.newPage();
  await signInTo(partner, service, owner, `/partner/${app}/payouts`);
  await enterPayee(partner);
  expect(runCommand(['payouts', 'run'])).toMatchObject({ planned: 1, needing_attention: { approve: 1 } });

  await signInTo(page, service, OPERATOR_EMAIL, '/operator');
  await page.getByRole('link', { name: '1 payout needs attention' }).click();
  await expect(page.getByRole('region', { name: 'To approve' })).toContainText(DEAL.amount);
  await expectGoodAppearance(page, 'operator-payouts-to-approve');
  await page.getByRole('link', { name: /^Review/ }).click();
  await expect(page.getByRole('heading', { name: new RegExp(`^\\${DEAL.amount} to`) })).toBeVisible();
  await expectGoodAppearance(page, 'operator-payout-to-approve');
  await act(page, 'Approve', { says: 'Approved' });

  await expect(page.getByText('To pay', { exact: true })).toBeVisible();
  await expect(page.getByText(IBAN)).toHaveCount(0);
  await page.getByRole('button', { name: 'Show destination' }).click();
  await expect(page.getByText(IBAN)).toBeVisible();
  await expectGoodAppearance(page, 'operator-payout-to-pay');

  await recordSent(
    page,
    { reference: 'SEPA 1', rate: '0.92', currency: 'EUR', amount: '125.00' },
    async (dialog) => {
      await dialog.getByRole('button', { name: 'Record as sent' }).click();
      await expect(
        dialog.getByText('At the rate 0.92 this payout is EUR 115.00, not EUR 125.00'),
      ).toBeVisible();
      await expectGoodAppearance(page, 'operator-payout-wrong-amount');
      await dialog.getByLabel('Amount paid').fill('115');
    },
  );
  await expect(page.getByText('€115.00 (1 USD = 0.92 EUR)')).toBeVisible();
  await expectGoodAppearance(page, 'operator-payout-sent');
  await partner.goto(`${service}/partner/${app}/payouts`);
  await expect(partner.getByText('Sent').first()).toBeVisible();

  await act(page, 'Record as returned', { says: 'Recorded as returned' });
  await expect(page.getByText('The amount is payable again').first()).toBeVisible();
  await expectGoodAppearance(page, 'operator-payout-returned');
  await act(page, 'Plan again', { says: 'Planned' });
  await page.getByRole('link', { name: 'Payouts', exact: true }).click();
  await page
    .getByRole('region', { name: 'To pay by hand' })
    .getByRole('link', { name: /^Review/ })
    .click();
  await recordSent(page, { reference: 'SEPA 1' }, async (dialog) => {
    await dialog.getByRole('button', { name: 'Record as sent' }).click();
    await expect(dialog.getByText('Another payout of this team has the reference SEPA 1')).toBeVisible();
    await dialog.getByLabel('Reference').fill('SEPA 2');
  });
  expect((await page.request.get(`${page.url()}/statement.pdf`)).headers()['content-type']).toBe(
    'application/pdf',
  );

  await earn(app, '200 days', 'reversed', -500_000_000n);
  await page.goto(`${service}/operator/apps/${app}`);
  await page.getByRole('link', { name: 'Open payouts' }).click();
  await expect(tile(page, 'Payable')).toContainText('-$4.99');
  await expect(tile(page, 'Paid out')).toContainText(DEAL.amount);
  await earn(app, '150 days', 'earned', 4_000_000_000n);
  await act(page, 'Pause payouts', { says: 'Paused' });
  await expectGoodAppearance(page, 'operator-team-held');
  await passMonth();
  expect(runCommand(['payouts', 'run'])).toMatchObject({ planned: 0 });
  await partner.reload();
  await expect(partner.getByText(REASON)).toBeVisible();
  await act(page, 'Resume payouts', { says: 'Resumed' });
  await act(page, 'Change terms', {
    says: 'Terms saved',
    fill: (dialog) => dialog.getByLabel('Reserve').fill('5'),
  });
  expect(runCommand(['payouts', 'run'])).toMatchObject({ planned: 1 });

  await page.getByRole('link', { name: 'Payouts', exact: true }).click();
  await expect(page.getByRole('region', { name: 'To pay by hand' })).toContainText('$30.00');
  await page.getByLabel('Search payouts').fill('SEPA 2');
  await page.keyboard.press('Enter');
  await expect(page.getByRole('region', { name: 'All payouts' }).getByRole('row')).toHaveCount(2);
  await expectGoodAppearance(page, 'operator-payouts');
  const year = new Date().getUTCFullYear();
  const exported = await page.request.get(`${service}/operator/payouts/export/${year}`);
  expect(await exported.text()).toContain('Ada Lovelace');
  await page.getByRole('link', { name: 'Audit log' }).click();
  for (const action of [
    'Approved a payout',
    'Recorded a payout as returned',
    'Paused the payouts of the team',
  ])
    await expect(page.getByRole('row', { name: action }).first()).toContainText(REASON);
  await partnerWindow.close();
});

async function enterPayee(page: Page): Promise<void> {
  await page.getByLabel('Company or person').fill('Ada Lovelace');
  await page.getByLabel('Address').fill('Example Street 1\n1010 Vienna');
  await page.getByLabel('Country').selectOption('Austria');
  await page.getByLabel('Bank account').fill(IBAN);
  await page.getByRole('button', { name: /^Save/ }).click();
  await expect(page.getByText('Payee details saved')).toBeVisible();
}

const tile = (page: Page, label: string) =>
  page.locator('dl > div').filter({ has: page.locator('dt', { hasText: new RegExp(`^${label}$`) }) });

type Action = { says: string; fill?: (dialog: Locator) => Promise<void> };

/** Opens the dialog, enters a reason and confirms. */
async function act(page: Page, name: string, { says, fill }: Action): Promise<void> {
  await page
    .getByRole('button', { name: new RegExp(`^${name}`) })
    .first()
    .click();
  const dialog = page.getByRole('dialog').filter({ has: page.getByLabel('Reason') });
  await fill?.(dialog);
  await dialog.getByLabel('Reason').fill(REASON);
  await dialog.getByRole('button', { name, exact: true }).click();
  await expect(page.getByText(says, { exact: true }).first()).toBeVisible();
  await expect(dialog).toBeHidden();
}

type Payment = { reference: string; currency?: string; rate?: string; amount?: string };

/** Enters a payment that is refused, corrects it, and records it. */
async function recordSent(
  page: Page,
  { reference, currency, rate, amount }: Payment,
  correct: (dialog: Locator) => Promise<void>,
): Promise<void> {
  await page.getByRole('button', { name: /^Record as sent/ }).click();
  const dialog = page.getByRole('dialog').filter({ has: page.getByLabel('Reference') });
  await dialog.getByLabel('Reference').fill(reference);
  if (currency) await dialog.getByLabel('Currency').fill(currency);
  if (rate) await dialog.getByLabel('Rate').fill(rate);
  if (amount) await dialog.getByLabel('Amount paid').fill(amount);
  await dialog.getByLabel('Reason').fill(REASON);
  await correct(dialog);
  await dialog.getByRole('button', { name: 'Record as sent' }).click();
  await expect(page.getByText('Recorded as sent', { exact: true }).first()).toBeVisible();
  await expect(dialog).toBeHidden();
}
