import { expect, test } from 'playwright/test';
import Stripe from 'stripe';
import { startSandboxPayments } from '../sandbox/payments/server';
import { expectGoodAppearance } from './fixtures/appearance';

test('a payment page that requires tax details and consent collects both before it takes the payment', async ({
  page,
}) => {
  const secretKey = 'sk_test_tax';
  const sandbox = await startSandboxPayments({
    secretKey,
    webhookSecret: 'whsec_tax',
    webhookUrl: 'http://127.0.0.1:9/',
    store: { load: async () => [], save: async () => {}, clear: async () => {} },
  });
  const { hostname: host, port } = new URL(sandbox.url);
  const stripe = new Stripe(secretKey, { host, port, protocol: 'http', telemetry: false });
  const price = { currency: 'eur', unit_amount: 1200, tax_behavior: 'inclusive' };
  const session = await stripe.checkout.sessions.create({
    mode: 'payment',
    success_url: `${sandbox.url}/paid`,
    line_items: [{ quantity: 1, price_data: { ...price, product_data: { name: '1,200 credits' } } }],
    automatic_tax: { enabled: true },
    consent_collection: { terms_of_service: 'required' },
    locale: 'en',
  });

  await page.goto(session.url ?? '');
  await expect(page.getByText('Tax is included.')).toBeVisible();
  await page.getByRole('button', { name: 'Fill in test card' }).click();
  const card = page.getByRole('form', { name: 'Card payment' });
  await card.getByRole('button', { name: 'Pay €12' }).click();
  await expect(page.getByText('Choose your country.')).toBeVisible();
  await expect(page.getByText('Accept the terms to continue.')).toBeVisible();
  await expect(card.getByLabel('Country')).toBeFocused();
  await expectGoodAppearance(page, 'processor-page-tax-en');

  await card.getByLabel('Country').selectOption('Austria');
  await card.getByLabel('I accept the terms of service').check();
  await card.getByRole('button', { name: 'Pay €12' }).click();
  await page.waitForURL(/\/paid$/);
  expect(await stripe.checkout.sessions.retrieve(session.id)).toMatchObject({
    payment_status: 'paid',
    total_details: { amount_tax: 200 },
    consent: { terms_of_service: 'accepted' },
  });
  await sandbox.close();
});
