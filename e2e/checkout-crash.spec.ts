import path from 'node:path';
import { expect } from 'playwright/test';
import {
  chooseAmount,
  demoAddress,
  newEmail,
  openCheckout,
  payByCard,
  signIn,
  test,
} from './fixtures/checkout-walk';
import { findProcessor } from './fixtures/processor';
import { removeData, runCommand, spawnServer, waitUntilReady } from './fixtures/server';

test.use({ locale: 'en-US' });

const PORT = Number(process.env.E2E_PORT ?? 3999) + 40;
const SERVICE = `http://localhost:${PORT}`;
const DATA_DIR = path.resolve(import.meta.dirname, `../.data/e2e-crash-${process.pid}`);

test('when the server is killed between payment and credit, the sweeper credits once after the restart', async ({
  page,
}) => {
  test.setTimeout(180_000);
  let server = spawnServer({ port: PORT, dataDir: DATA_DIR });
  try {
    await waitUntilReady(server);
    const email = newEmail();
    await page.goto(demoAddress(SERVICE));
    const checkout = await openCheckout(page);
    await signIn(page, checkout, SERVICE, email);
    // Only the sweeper may report the payment: webhooks are lost, and so are the page's polls.
    await page.route('**/checkout/api/visits/*/payments/cks_*', (route) => route.abort());
    await chooseAmount(checkout, /\$5\b/);
    await (await findProcessor(page, checkout)).control({ webhooks: 'drop' });
    await payByCard(checkout, '4242 4242 4242 4242');
    await expect(checkout.getByRole('heading', { name: 'Confirming your payment…' })).toBeVisible();
    const died = new Promise((resolve) => server.once('exit', resolve));
    server.kill('SIGKILL');
    await died;

    server = spawnServer({ port: PORT, dataDir: DATA_DIR });
    await waitUntilReady(server);
    const creditsOf = () =>
      (runCommand(['user', 'show', email], { dataDir: DATA_DIR }) as { credits: number }).credits;
    await expect.poll(creditsOf, { timeout: 30_000 }).toBe(500);

    // The page that was waiting is updated, and nothing is credited again.
    await page.unroute('**/checkout/api/visits/*/payments/cks_*');
    await expect(checkout.getByRole('heading', { name: '500 credits added' })).toBeVisible();
    expect(creditsOf()).toBe(500);
    expect(runCommand(['ledger', 'check'], { dataDir: DATA_DIR })).toMatchObject({ differences: [] });
  } finally {
    const died = new Promise((resolve) => server.once('exit', resolve));
    if (server.exitCode === null && server.signalCode === null && server.kill('SIGTERM')) await died;
    removeData(DATA_DIR);
  }
});
