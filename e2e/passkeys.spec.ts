import { type CDPSession, expect, type Page } from 'playwright/test';
import { expectGoodAppearance } from './fixtures/appearance';
import { newEmail, readCode, test } from './fixtures/checkout-walk';
import { signInTo } from './fixtures/dashboard';
import { OPERATOR_EMAIL, runCommand } from './fixtures/server';
import { ageSignIns } from './fixtures/sign-ins';

/** Passkeys with the browser's own implementation and a virtual authenticator. */

test.describe.configure({ timeout: 120_000 });

type Authenticator = { cdp: CDPSession; authenticatorId: string };

async function addAuthenticator(page: Page): Promise<Authenticator> {
  const cdp = await page.context().newCDPSession(page);
  await cdp.send('WebAuthn.enable');
  const { authenticatorId } = await cdp.send('WebAuthn.addVirtualAuthenticator', {
    options: {
      protocol: 'ctap2',
      transport: 'internal',
      hasResidentKey: true,
      hasUserVerification: true,
      isUserVerified: true,
      automaticPresenceSimulation: true,
    },
  });
  return { cdp, authenticatorId };
}

/** Whether the user's finger or face is recognised. */
const recognise = ({ cdp, authenticatorId }: Authenticator, isUserVerified: boolean) =>
  cdp.send('WebAuthn.setUserVerified', { authenticatorId, isUserVerified });

async function addPasskey(page: Page, name: string, check: () => Promise<void> = async () => {}) {
  await page.getByRole('button', { name: 'Add a passkey' }).click();
  const dialog = page.getByRole('dialog', { name: 'Add a passkey' });
  await dialog.getByLabel('Name').fill(name);
  await check();
  await dialog.getByRole('button', { name: 'Create passkey' }).click();
  await expect(dialog).toBeHidden();
  await expect(page.getByText('Passkey added')).toBeVisible();
  await expect(page.getByRole('listitem').filter({ hasText: name })).toContainText('not used yet');
}

test('a user adds a passkey, signs in with it without a code, and removes it', async ({ page, service }) => {
  const email = newEmail();
  const authenticator = await addAuthenticator(page);
  await signInTo(page, service, email, '/account/settings');
  await expect(page.getByText('No passkeys yet')).toBeVisible();
  await expectGoodAppearance(page, 'passkeys-none');
  await addPasskey(page, 'Ada’s laptop', () => expectGoodAppearance(page, 'passkeys-adding'));
  await expectGoodAppearance(page, 'passkeys-one');

  await recognise(authenticator, false);
  await page.getByRole('button', { name: 'Sign out' }).click();
  await page.waitForURL(`${service}/`);
  const shown = await page.goto(`${service}/sign-in?return=/account/settings`);
  expect(shown?.headers()['permissions-policy']).toContain('publickey-credentials-get=(self)');
  const checkout = await page.request.get(`${service}/checkout/unavailable`);
  expect(checkout.headers()['permissions-policy']).toContain('publickey-credentials-get=()');
  await expectGoodAppearance(page, 'sign-in');
  const button = page.getByRole('button', { name: 'Sign in with a passkey' });
  await button.click();
  await expect(page.getByText('No passkey was used')).toBeVisible();
  await expectGoodAppearance(page, 'sign-in-cancelled');
  await recognise(authenticator, true);
  await button.click();
  await expect(page).toHaveURL(`${service}/account/settings`);
  await expect(page.getByText(email).first()).toBeVisible();
  await expect(page.getByRole('listitem').filter({ hasText: 'Ada’s laptop' })).toContainText('last used');

  await ageSignIns(email);
  await page.getByRole('button', { name: 'Remove: Ada’s laptop' }).click();
  await expectGoodAppearance(page, 'passkeys-removing');
  await page.getByRole('alertdialog').getByRole('button', { name: 'Remove' }).click();
  const dialog = page.getByRole('dialog', { name: 'Confirm that it’s you' });
  await expect(dialog.getByRole('button', { name: 'Use a passkey' })).toBeVisible();
  await expectGoodAppearance(page, 'confirm-passkey-or-code');
  await dialog.getByRole('button', { name: 'Send a code instead' }).click();
  await expect(dialog.getByLabel('Code')).toBeVisible();
  await dialog.getByLabel('Code').fill(await readCode(page, service, email));
  await expect(page.getByText('No passkeys yet')).toBeVisible();
  await page.getByRole('button', { name: 'Sign out' }).click();
  await page.waitForURL(`${service}/`);
  await page.goto(`${service}/sign-in`);
  // The authenticator accepts the browser's suggestion without a click.
  const refusal = page.getByText('This passkey was not accepted.');
  await expect(refusal).toBeVisible();
  await page.getByRole('button', { name: 'Sign in with a passkey' }).click();
  await expect(page.getByRole('alert').and(refusal)).toBeVisible();
  await expect(refusal).toHaveCount(1);
});

test('an operator with a passkey confirms with nothing else @attack', async ({ page, service, browser }) => {
  const user = newEmail();
  runCommand(['user', 'grant', user, '--credits', '5']);
  await addAuthenticator(page);
  try {
    await signInTo(page, service, OPERATOR_EMAIL, '/operator');
    await expect(page.getByText('Anyone who can read your e-mail')).toBeVisible();
    await expectGoodAppearance(page, 'operator-without-passkey');
    const codeOnly = await page.context().cookies();
    await page.getByRole('link', { name: 'Add a passkey' }).click();
    await addPasskey(page, 'Work laptop');

    await page.goto(`${service}/operator`);
    await expect(page.getByRole('heading', { name: 'Use your passkey' })).toBeVisible();
    await expectGoodAppearance(page, 'operator-passkey');
    const mailbox = await browser.newContext();
    await mailbox.addCookies(codeOnly);
    const intruder = await mailbox.newPage();
    await intruder.goto(`${service}/operator/users`);
    await expect(intruder.getByRole('heading', { name: 'Use your passkey' })).toBeVisible();
    await mailbox.close();
    await page.getByRole('button', { name: 'Use a passkey' }).click();
    await expect(page.getByRole('heading', { name: 'Overview' })).toBeVisible();
    await expect(page.getByText('Anyone who can read your e-mail')).toBeHidden();

    await page.getByRole('link', { name: 'Users', exact: true }).click();
    await page.getByLabel('E-mail').fill(user);
    await page.getByRole('button', { name: 'Find user' }).click();
    await expect(page.getByRole('heading', { name: user, level: 1 })).toBeVisible();
    await ageSignIns(OPERATOR_EMAIL);
    await page.getByRole('button', { name: 'Give credits' }).click();
    const form = page.getByRole('dialog', { name: 'Give credits' });
    await form.getByLabel('Credits').fill('7');
    await form.getByLabel('Reason').fill('an apology');
    await form.getByRole('button', { name: 'Continue' }).click();
    await form.getByRole('button', { name: 'Give 7 credits' }).click();
    const dialog = page.getByRole('dialog', { name: 'Confirm that it’s you' });
    await expect(dialog.getByRole('button', { name: 'Use a passkey' })).toBeVisible();
    await expect(dialog.getByRole('button', { name: 'Send a code instead' })).toHaveCount(0);
    await expectGoodAppearance(page, 'confirm-passkey-only');
    await dialog.getByRole('button', { name: 'Use a passkey' }).click();
    await expect(page.getByText('Gave credits').first()).toBeVisible();
  } finally {
    runCommand(['user', 'passkeys', OPERATOR_EMAIL, '--remove-all']);
  }
});
