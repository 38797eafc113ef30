import { expect, type Page } from 'playwright/test';
import { expectGoodAppearance } from './fixtures/appearance';
import { newEmail, test } from './fixtures/checkout-walk';
import { expectAccessibleLayout, signInTo } from './fixtures/dashboard';
import { runSql } from './fixtures/database';
import { ageSignIns, confirmPresence } from './fixtures/sign-ins';

/** An owner and a finance member of a team, each signed in in a browser of their own. */

test.describe.configure({ mode: 'serial', timeout: 120_000 });

let owner: Page;
let finance: Page;
let app: string;
const [ownerEmail, financeEmail, lateEmail] = [newEmail(), newEmail(), newEmail()];

test.beforeAll(async ({ browser }) => {
  [owner, finance] = await Promise.all([browser.newPage(), browser.newPage()]);
});
test.afterAll(() => Promise.all([owner.close(), finance.close()]));

test('an owner invites a person by mail, who joins with the role finance', async ({ service }) => {
  await signInTo(owner, service, ownerEmail, '/partner/new');
  await owner.getByLabel('Name').fill('Lantern');
  await owner.getByRole('button', { name: 'Create app' }).click();
  await expect(owner.getByText('0 of 5 done')).toBeVisible();
  app = owner.url();

  await owner.goto(`${app}/team`);
  await expect(owner.getByText(`${ownerEmail} (you)`)).toBeVisible();
  await invite(financeEmail, 'Finance');
  await expect(owner.getByRole('listitem').filter({ hasText: financeEmail })).toContainText('Valid until');

  const link = await readInvitation(service, financeEmail);
  await signInTo(finance, service, financeEmail, link);
  await expect(finance.getByRole('heading', { name: 'Join the team Lantern' })).toBeVisible();
  await expectAccessibleLayout(finance);
  await expectGoodAppearance(finance, 'invitation');
  await finance.getByRole('button', { name: 'Join the team' }).click();
  await expect(finance).toHaveURL(app);

  await finance.goto(service + link);
  await expect(finance.getByRole('heading', { name: 'This invitation was already used' })).toBeVisible();
  await owner.goto(service + link);
  await expect(owner.getByText('An invitation opens only for the e-mail address')).toBeVisible();
});

test('a finance member changes the commission, and can neither see the button that rotates the key nor use it', async () => {
  await finance.goto(`${app}/commission`);
  await finance.getByLabel('Commission, %').fill('30');
  await finance.getByLabel('Takes effect').selectOption('now');
  await finance.getByRole('button', { name: 'Set rate' }).click();
  await finance.getByRole('dialog').getByRole('button', { name: 'Set rate' }).click();
  await expect(finance.getByText('The rate is now 30%')).toBeVisible();

  await finance.goto(`${app}/integration`);
  await expect(finance.getByText(`Created by ${ownerEmail}`)).toBeVisible();
  await expect(finance.getByRole('button', { name: 'Rotate key' })).toHaveCount(0);
  await expect(finance.getByText('Only the owner and developers can change this.').first()).toBeVisible();

  // The owner's page, with the member's cookies: the button is there, the right is not.
  await owner.goto(`${app}/integration`);
  const ownCookies = await owner.context().cookies();
  await owner.context().addCookies(await finance.context().cookies());
  await owner.getByRole('button', { name: 'Rotate key' }).click();
  await owner.getByRole('alertdialog').getByRole('button', { name: 'Rotate key' }).click();
  await expect(owner.getByText('Only the owner and developers can do this.')).toBeVisible();
  await owner.context().addCookies(ownCookies);
});

test('an invitation that expired says so, and works once it was sent again', async ({ service, browser }) => {
  await owner.goto(`${app}/team`);
  await invite(lateEmail, 'Viewer');
  const link = await readInvitation(service, lateEmail);
  await runSql(`UPDATE team_invitation SET expires_at = now() - interval '1 minute' WHERE email = $1`, [
    lateEmail,
  ]);
  const late = await browser.newPage();
  await signInTo(late, service, lateEmail, link);
  await expect(late.getByRole('heading', { name: 'This invitation has expired' })).toBeVisible();
  await expect(late.getByText('Ask the owner of the team to send it again')).toBeVisible();
  await expectGoodAppearance(late, 'invitation-expired');

  await owner.reload();
  const row = owner.getByRole('listitem').filter({ hasText: lateEmail });
  await expect(row).toContainText('Expired');
  await expectAccessibleLayout(owner);
  await expectGoodAppearance(owner, 'team-of-owner');
  await row.getByRole('button', { name: 'Send again' }).click();
  await owner.getByRole('alertdialog').getByRole('button', { name: 'Send again' }).click();
  await expect(owner.getByText('Invitation sent again')).toBeVisible();
  await late.reload();
  await late.getByRole('button', { name: 'Join the team' }).click();
  await expect(late).toHaveURL(app);

  await late.goto(`${app}/team`);
  await expect(late.getByText('Your role is viewer')).toBeVisible();
  await expectAccessibleLayout(late);
  await expectGoodAppearance(late, 'team-of-viewer');
  await late.getByRole('button', { name: 'Leave team' }).click();
  await late.getByRole('alertdialog').getByRole('button', { name: 'Leave team' }).click();
  await expect(late).toHaveURL(`${service}/partner/new`);
  expect((await late.goto(app))?.status()).toBe(404);
  await late.close();
});

test('handing over the ownership takes a confirmation, and the log says who did what @attack', async ({
  service,
}) => {
  await owner.goto(`${app}/team`);
  await ageSignIns(ownerEmail);
  const row = owner.getByRole('listitem').filter({ hasText: financeEmail });
  await row.getByRole('button', { name: 'Hand over' }).click();
  await owner.getByRole('alertdialog').getByRole('button', { name: 'Hand over' }).click();
  await confirmPresence(owner, service, ownerEmail);
  await expect(owner.getByText('Ownership handed over')).toBeVisible();
  await expect(owner.getByText('Your role is developer')).toBeVisible();
  await expect(owner.getByRole('button', { name: 'Send invitation' })).toHaveCount(0);

  await finance.goto(`${app}/team`);
  await expect(finance.getByText('Your role is owner')).toBeVisible();
  await finance.goto(`${app}/team/log`);
  for (const text of ['Handed over the ownership', 'rate: 25 → 30', 'Created the app', 'Left the team'])
    await expect(finance.getByText(text).first()).toBeVisible();
  await expect(finance.getByText(ownerEmail).first()).toBeVisible();
  await expectAccessibleLayout(finance);
  await expectGoodAppearance(finance, 'team-log');
});

async function invite(email: string, role: string): Promise<void> {
  await owner.getByLabel('E-mail address').fill(email);
  await owner.getByLabel('Role', { exact: true }).selectOption(role);
  await owner.getByRole('button', { name: 'Send invitation' }).click();
  await expect(owner.getByText('Invitation sent', { exact: true })).toBeVisible();
}

/** The path in the newest invitation to this address. */
async function readInvitation(service: string, email: string): Promise<string> {
  const find = async () => {
    const response = await owner.request.get(`${service}/dev/mail/messages?to=${encodeURIComponent(email)}`);
    return /\/team\/invitations\/inv_\w+/.exec(await response.text())?.[0] ?? '';
  };
  await expect.poll(find, { timeout: 20_000 }).not.toBe('');
  return find();
}
