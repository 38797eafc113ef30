import path from 'node:path';
import { pathToFileURL } from 'node:url';
import { type BrowserContext, expect, type Page } from 'playwright/test';
import { startSandboxPayments } from '../sandbox/payments/server';
import { expectGoodAppearance } from './fixtures/appearance';
import { chooseAmount, demoAddress, newEmail, openCheckout, signIn, test } from './fixtures/checkout-walk';
import { signInTo } from './fixtures/dashboard';
import { processorAt } from './fixtures/processor';
import { end, OPERATOR_EMAIL, removeData, runCommand, spawnServer, waitUntilReady } from './fixtures/server';

test.use({ locale: 'en-US' });

const PORT = Number(process.env.E2E_PORT ?? 3999) + 41;
const SERVICE = `http://localhost:${PORT}`;
const DATA_DIR = path.resolve(import.meta.dirname, `../.data/e2e-stripe-form-${process.pid}`);
const SECRETS = { secretKey: 'sk_test_form', webhookSecret: 'whsec_form' };
const FORM = 'https://checkout.stripe.com/form/';

/** Stands in for Stripe.js: like the real one, it allows one form at a time, in a frame of Stripe's origin. */
const STRIPE_JS = `
  let isOpen = false;
  window.Stripe = (publishableKey) => ({
    async createEmbeddedCheckoutPage({ fetchClientSecret, onComplete }) {
      if (publishableKey !== 'pk_test_form') throw new Error('Invalid API Key');
      if (isOpen) throw new Error('You cannot have multiple Embedded Checkout objects.');
      isOpen = true;
      const frame = document.createElement('iframe');
      frame.title = 'Stripe';
      frame.src = '${FORM}' + (await fetchClientSecret());
      addEventListener('message', ({ source, data }) => {
        if (source === frame.contentWindow && data === 'complete') onComplete();
      });
      return { mount: (place) => place.append(frame), destroy: () => { isOpen = false; frame.remove(); } };
    },
  });`;
const FORM_PAGE = `<!doctype html><title>Stripe</title><button>Pay</button><script>
  document.querySelector('button').onclick = async () => {
    await fetch(location.href, { method: 'POST' });
    parent.postMessage('complete', '*');
  };</script>`;

/** Serves Stripe's hosts to the browser; its form pays at the sandbox. Returns how often the script was loaded. */
async function standInForStripe(context: BrowserContext, sandboxUrl: string): Promise<{ loads: number }> {
  const seen = { loads: 0 };
  await context.route('https://js.stripe.com/**', (route) => {
    seen.loads++;
    return route.fulfill({ contentType: 'text/javascript', body: STRIPE_JS });
  });
  await context.route(`${FORM}*`, async (route) => {
    const request = route.request();
    if (request.method() === 'GET') return route.fulfill({ contentType: 'text/html', body: FORM_PAGE });
    const card = {
      number: '4242424242424242',
      expiry: '12/40',
      cvc: '123',
      name: 'Ada Lovelace',
      terms: 'accepted',
    };
    const paid = await fetch(`${sandboxUrl}/embed/${request.url().slice(FORM.length)}`, {
      method: 'POST',
      headers: { 'content-type': 'application/json' },
      body: JSON.stringify(card),
    });
    return route.fulfill({ status: paid.status });
  });
  return seen;
}

function collectRefusals(page: Page): string[] {
  const refusals: string[] = [];
  page.on('console', (message) => {
    if (message.type() === 'error') refusals.push(message.text());
  });
  return refusals;
}

test('once the account is ready, Stripe’s form is loaded, removed by Back, shown again and paid in', async ({
  page,
  context,
}) => {
  test.setTimeout(120_000);
  const store = { load: async () => [], save: async () => {}, clear: async () => {} };
  const sandbox = await startSandboxPayments({ ...SECRETS, store, webhookUrl: `${SERVICE}/api/stripe` });
  const server = spawnServer({
    port: PORT,
    dataDir: DATA_DIR,
    settings: {
      STRIPE_SECRET_KEY: SECRETS.secretKey,
      STRIPE_PUBLISHABLE_KEY: 'pk_test_form',
      STRIPE_WEBHOOK_SECRET: SECRETS.webhookSecret,
      STRIPE_TERMS_OF_SERVICE: 'true',
      E2E_PAYMENT_SANDBOX: sandbox.url,
      NODE_OPTIONS: `--import ${pathToFileURL(path.join(import.meta.dirname, 'fixtures/stripe-to-sandbox.mjs')).href}`,
    },
  });
  try {
    await waitUntilReady(server);
    const stripe = await standInForStripe(context, sandbox.url);
    const refusals = collectRefusals(page);
    const operator = await context.newPage();
    const email = newEmail();
    await page.goto(demoAddress(SERVICE));
    const checkout = await openCheckout(page);
    await signIn(page, checkout, SERVICE, email);
    const form = checkout.locator('iframe[title="Stripe"]');
    const { control } = processorAt(page, sandbox.url);

    await control({ account: { has_terms: false } });
    await chooseAmount(checkout, /\$5\b/);
    await expect(checkout.getByText('Payments are not available right now.')).toBeVisible();
    await expectGoodAppearance(checkout, 'payments-unavailable-en');
    await signInTo(operator, SERVICE, OPERATOR_EMAIL, '/operator/payments');
    await expect(operator.getByText('STRIPE_TERMS_OF_SERVICE: no payment can begin.')).toBeVisible();
    await expectGoodAppearance(operator, 'operator-payments-unavailable');
    await control({ account: {} });
    refusals.length = 0;

    for (const dollars of [/\$5\b/, /\$10\b/]) {
      await expect(form).toHaveCount(0);
      await chooseAmount(checkout, dollars);
      await expect(form.contentFrame().getByRole('button', { name: 'Pay' })).toBeVisible();
      await expect(form).toHaveCount(1);
      if (dollars.test('$5')) await checkout.getByRole('button', { name: 'Back' }).click();
    }
    // Clicks are kept from the form until the user could see it.
    const added = checkout.getByRole('heading', { name: '1,000 credits added' });
    await expect(async () => {
      if (!(await added.isVisible()))
        await form.contentFrame().getByRole('button', { name: 'Pay' }).click({ timeout: 2_000 });
      await expect(added).toBeVisible({ timeout: 5_000 });
    }).toPass({ timeout: 40_000 });
    await expect(form).toHaveCount(0);
    expect(stripe.loads).toBe(1);
    expect(refusals).toEqual([]);
    expect(runCommand(['user', 'show', email], { dataDir: DATA_DIR })).toMatchObject({ credits: 1000 });
  } finally {
    await end(server);
    await sandbox.close();
    removeData(DATA_DIR);
  }
});
