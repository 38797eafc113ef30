import { expect } from 'playwright/test';
import { newEmail, test } from './fixtures/checkout-walk';
import { expectAccessibleLayout, signInTo } from './fixtures/dashboard';
import { whileConnectionsWaitFor } from './fixtures/database';

/** What users see while no connection to the database is free. */

const BUSY = { status: 503, retryAfter: '1' };

type Response = { status(): number; headers(): Record<string, string> } | null;
const summarise = (response: Response) => ({
  status: response?.status(),
  retryAfter: response?.headers()['retry-after'],
});

test('a page says so, keeps users signed in, and loads on the next attempt', async ({ page, service }) => {
  await signInTo(page, service, newEmail(), '/account');
  await expect(async () => {
    await whileConnectionsWaitFor('session', {
      send: () => page.request.get(`${service}/account`),
      run: async () => expect(summarise(await page.goto(`${service}/account/apps`))).toEqual(BUSY),
    });
  }).toPass();
  await expect(page.getByRole('heading', { name: 'This page could not be loaded' })).toBeVisible();
  await expectAccessibleLayout(page);
  await page.getByRole('button', { name: 'Try again' }).click();
  await expect(page.getByRole('heading', { name: 'Apps', level: 1 })).toBeVisible();
});

test('a request for the signed-in user is not answered with "nobody"', async ({ page, service }) => {
  await signInTo(page, service, newEmail(), '/account');
  const send = () => page.request.get(`${service}/api/auth/session`);
  await expect(async () => {
    await whileConnectionsWaitFor('session', {
      send,
      run: async () => {
        const response = await send();
        expect(summarise(response)).toEqual(BUSY);
        expect(await response.json()).toMatchObject({ error: { type: 'overloaded', code: '503' } });
      },
    });
  }).toPass();
  expect(await (await send()).json()).toHaveProperty('expires');
});

test('a checkout says so inside its frame, and loads on the next attempt', async ({ page, service }) => {
  const address = `${service}/checkout/ckv_1`;
  await expect(async () => {
    await whileConnectionsWaitFor('checkout_visit', {
      send: () => page.request.get(address),
      run: async () => {
        const response = await page.goto(address);
        expect(summarise(response)).toEqual(BUSY);
        // Which pages may frame it could not be read, and this page contains nothing to protect.
        expect(response?.headers()['content-security-policy']).not.toContain('frame-ancestors');
      },
    });
  }).toPass();
  await expect(page.getByRole('heading', { name: 'Checkout couldn’t be opened' })).toBeVisible();
  await expectAccessibleLayout(page);
  await page.getByRole('button', { name: 'Try again' }).click();
  await expect(page.getByRole('heading', { name: 'This checkout is no longer open' })).toBeVisible();
});
