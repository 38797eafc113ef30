import { expect, type Page } from 'playwright/test';
import { expectGoodAppearance } from './fixtures/appearance';
import { chooseAmount, demoAddress, newEmail, openCheckout, signIn, test } from './fixtures/checkout-walk';
import { expectAccessibleLayout, signInTo } from './fixtures/dashboard';
import { runSql } from './fixtures/database';
import { OPERATOR_EMAIL } from './fixtures/server';

/** What an operator sees of abuse, and what a buyer reads whose purchases are blocked. */

test.describe.configure({ timeout: 120_000 });

/** Accounts with a card, a browser and a network in common, whose cards were declined and purchases refunded. */
async function makeAbuse(emails: string[]): Promise<void> {
  await runSql(
    `WITH made AS (SELECT id, row_number() OVER (ORDER BY id) AS n FROM "user" WHERE email = ANY ($1)),
     traces AS (
       INSERT INTO account_trace (kind, hash, user_id, seen_at)
       SELECT kind, convert_to(kind || ' of the test', 'UTF8'), id, now() FROM made, unnest(ARRAY['card', 'browser', 'network']) kind),
     attempts AS (
       INSERT INTO payment_attempt (id, user_id, card, is_declined, at)
       SELECT 'ch_' || id || i, id, 'stolen', true, now() - interval '1 day' FROM made, generate_series(1, 6) i)
     INSERT INTO purchase (id, user_id, partner_id, session_id, currency, amount_minor, rate, credits, refunded_minor, disputed_minor)
     SELECT 'txn_' || id || i, id, '', 'cks_' || id || i, 'usd', 1000, 1, 1000000, CASE i WHEN 1 THEN 1000 ELSE 0 END,
            CASE i WHEN 2 THEN 1000 ELSE 0 END
     FROM made, generate_series(1, 4) i WHERE n <= 2`,
    [emails],
  );
}

const part = (page: Page, title: string) => page.getByRole('region', { name: title });

test('an operator finds accounts that share a card and blocks their purchases, the buyer reads it, and an operator allows them again', async ({
  page,
  service,
  browser,
}) => {
  const emails = Array.from({ length: 12 }, newEmail);
  await runSql(`INSERT INTO "user" (id, email) SELECT 'usr_' || md5(e), e FROM unnest($1::text[]) e`, [
    emails,
  ]);
  await makeAbuse(emails);
  await signInTo(page, service, OPERATOR_EMAIL, '/operator');
  await page.getByRole('navigation', { name: 'Dashboard' }).getByRole('link', { name: 'Abuse' }).click();
  await expect(page.getByRole('heading', { name: 'Abuse', level: 1 })).toBeVisible();
  const cards = part(page, 'Shared cards');
  await expect(cards.getByText('12 accounts on one card')).toBeVisible();
  await expect(cards.getByText('and 7 more')).toBeVisible();
  await expect(part(page, 'Shared browsers').getByText('12 accounts on one browser')).toBeVisible();
  await expect(
    part(page, 'Declined payments').getByText('72 declined within an hour, 12 accounts on one card'),
  ).toBeVisible();
  await expect(
    part(page, 'Refunds and disputes of users').getByText('Of 4 purchases, 1 refunded, 1 disputed'),
  ).toHaveCount(2);
  await expectAccessibleLayout(page);
  await expectGoodAppearance(page, 'abuse');

  await cards.getByRole('button', { name: /^Block purchases/ }).click();
  const dialog = page.getByRole('dialog', { name: 'Block the purchases of 12 accounts?' });
  await dialog.getByLabel('Reason').fill('twelve accounts, one stolen card');
  await expectAccessibleLayout(page);
  await dialog.getByRole('button', { name: 'Block purchases' }).click();
  await expect(page.getByText('Purchases of 12 accounts blocked')).toBeVisible();
  await expect(cards.getByText('All blocked')).toBeVisible();
  await expect(part(page, '12 accounts with blocked purchases')).toBeVisible();
  await expectAccessibleLayout(page);
  await expectGoodAppearance(page, 'abuse-blocked');

  const [email = ''] = emails;
  const buyer = await (await browser.newContext()).newPage();
  await buyer.goto(demoAddress(service));
  const checkout = await openCheckout(buyer);
  await signIn(buyer, checkout, service, email);
  await chooseAmount(checkout, /^\$10 /);
  const refusal = checkout.getByText('You can’t buy credits with this account.');
  await expect(refusal).toBeVisible();
  await expectGoodAppearance(checkout, 'purchases-blocked');

  await page.goto(`${service}/operator/users`);
  await page.getByLabel('E-mail').fill(email);
  await page.getByRole('button', { name: 'Find user' }).click();
  await expect(page.getByText('Purchases are blocked for all accounts of this mailbox.')).toBeVisible();
  await expect(page.getByRole('row', { name: 'twelve accounts, one stolen card' })).toBeVisible();
  await expectAccessibleLayout(page);
  await expectGoodAppearance(page, 'user-blocked');
  await page.getByRole('button', { name: /^Allow purchases/ }).click();
  const allow = page.getByRole('dialog', { name: `Allow the purchases of ${email}?` });
  await allow.getByLabel('Reason').fill('showed the card');
  await allow.getByRole('button', { name: 'Allow purchases' }).click();
  await expect(page.getByText('Purchases allowed', { exact: true }).first()).toBeVisible();
  await expect(page.getByRole('button', { name: /^Block purchases/ })).toBeVisible();

  await checkout.getByRole('button', { name: /^Continue with/ }).click();
  await expect(checkout.getByRole('heading', { name: 'Payment' })).toBeVisible();
  await buyer.context().close();
});
