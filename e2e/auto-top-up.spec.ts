import { expect, type Page } from 'playwright/test';
import { expectGoodAppearance } from './fixtures/appearance';
import { newEmail, test } from './fixtures/checkout-walk';
import { signInTo } from './fixtures/dashboard';
import { runSql } from './fixtures/database';
import { ageSignIns, confirmPresence } from './fixtures/sign-ins';

/** Auto top-up and the low-balance e-mail, through 3-D Secure and back. */

test.setTimeout(240_000);
test.use({ locale: 'en-US', timezoneId: 'UTC' });

const ASKS_BANK = '4000 0027 6000 3184';
const PAGE = '/account/payment';

/** Sends the form of the processor's page, as its buyer would. */
async function addCard(page: Page, service: string): Promise<void> {
  await page.goto(service + PAGE);
  await page.getByRole('button', { name: 'Add card' }).click();
  await page.waitForURL((url) => url.origin !== service);
  const card = { number: ASKS_BANK, expiry: '12/40', cvc: '123', name: 'Ada Lovelace' };
  for (const data of [card, { challenge: 'complete' }]) await page.request.post(page.url(), { data });
  await page.goto(service + PAGE);
}

/** At the bank that the sandbox stands in for. */
const complete = (page: Page) => page.getByRole('button', { name: 'Complete authentication' }).click();
const fail = (page: Page) => page.getByRole('button', { name: 'Fail authentication' }).click();

async function readSubjects(page: Page, service: string, email: string): Promise<string[]> {
  const response = await page.request.get(`${service}/dev/mail/messages?to=${encodeURIComponent(email)}`);
  return ((await response.json()) as { subject: string }[]).map(({ subject }) => subject);
}

const button = (page: Page, name: string) => page.getByRole('button', { name, exact: true, disabled: false });

test('auto top-up goes through a 3-D Secure failure and back, and is turned off', async ({
  page,
  service,
}) => {
  const email = newEmail();
  await signInTo(page, service, email, PAGE);
  await expect(page.getByText('Add a card first.')).toBeVisible();
  await expectGoodAppearance(page, 'top-up-no-card');
  await addCard(page, service);

  await test.step('turning it on shows what the user agrees to, and asks for a confirmation and the bank', async () => {
    await page.goto(service + PAGE);
    await page.getByLabel('When I have fewer than', { exact: true }).fill('900');
    await page.getByLabel('Buy credits for').fill('10');
    await page.getByLabel('At most in a calendar month').fill('50');
    await expect(
      page.getByText(
        'I authorise svc to charge $10.00 to my Visa •••• 3184 each time I have fewer than 900 credits',
      ),
    ).toBeVisible();
    await expectGoodAppearance(page, 'top-up-form');
    await ageSignIns(email);
    await button(page, 'Agree and turn on').click();
    await confirmPresence(page, service, email);
    await complete(page);
    await expect(page).toHaveURL(new RegExp(PAGE));
  });

  await test.step('the bank wants the buyer: the page and a mail lead there, and back after a failure', async () => {
    await expect(page.getByText('Confirmation needed')).toBeVisible();
    await expect(page.getByRole('link', { name: 'Confirm the payment' })).toBeVisible();
    await expectGoodAppearance(page, 'top-up-needs-confirmation');
    await expect.poll(() => readSubjects(page, service, email)).toContain('Confirm your top-up of $10.00');
    await page.getByRole('link', { name: 'Confirm the payment' }).click();
    await expect(page.getByText('Confirm your top-up of $10.00').last()).toBeVisible();
    await expectGoodAppearance(page, 'top-up-confirm');
    await button(page, 'Continue to your bank').click();
    await fail(page);
    await expect(
      page.getByText('Your bank did not confirm the payment. You were not charged.'),
    ).toBeVisible();
    await button(page, 'Continue to your bank').click();
    await complete(page);
    await expect(page.getByText('1,000 credits added').last()).toBeVisible();
    await expectGoodAppearance(page, 'top-up-confirmed');
  });

  await test.step('it stays on, and the purchase and the receipt say what it was', async () => {
    await page.goto(service + PAGE);
    await expect(page.getByText('$10.00 of $50.00 used this month.')).toBeVisible();
    await expectGoodAppearance(page, 'top-up-on');
    await page.goto(`${service}/account/purchases`);
    await expect(page.getByRole('row', { name: /Auto top-up 1,000\.00 \$10\.00 Paid/ })).toBeVisible();
    await expect.poll(() => readSubjects(page, service, email)).toContain('Your auto top-up: $10.00');
  });

  await test.step('a failure turns it off and says so', async () => {
    await runSql(
      `UPDATE auto_top_up SET state = 'off', off_reason = 'declined'
       WHERE user_id = (SELECT id FROM "user" WHERE email = $1)`,
      [email],
    );
    await page.goto(service + PAGE);
    await expect(page.getByText('Auto top-up is off: your bank declined the payment.')).toBeVisible();
    await expectGoodAppearance(page, 'top-up-off');
  });

  await test.step('the low-balance e-mail is turned on, sent, and turned off', async () => {
    await page.getByLabel('Write to me when I have fewer than').fill('5000');
    await button(page, 'Turn on').click();
    await expect(page.getByText('Low-balance e-mail saved')).toBeVisible();
    // All balances are read every 30 seconds.
    await expect
      .poll(() => readSubjects(page, service, email), { timeout: 60_000 })
      .toContain('Your svc credits are running low');
    await button(page, 'Turn off').click();
    await expect(page.getByText('Low-balance e-mail turned off')).toBeVisible();
  });
});
