import { expect } from '@playwright/test';
import { newEmail, test } from './fixtures/checkout-walk';
import { expectFine, signInTo } from './fixtures/dashboard';
import { whileConnectionsWaitFor } from './fixtures/database';

/** What users see while no connection to the database is free. */

const BUSY = { status: 503, retryAfter: '1' };

type Answer = { status(): number; headers(): Record<string, string> } | null;
const told = (answer: Answer) => ({ status: answer?.status(), retryAfter: answer?.headers()['retry-after'] });

test('a page says so, keeps users signed in, and loads on the next attempt', async ({ page, service }) => {
  await signInTo(page, service, newEmail(), '/account');
  await expect(async () => {
    await whileConnectionsWaitFor('session', {
      ask: () => page.request.get(`${service}/account`),
      work: async () => expect(told(await page.goto(`${service}/account/apps`))).toEqual(BUSY),
    });
  }).toPass();
  await expect(page.getByRole('heading', { name: 'This page could not be loaded' })).toBeVisible();
  await expectFine(page);
  await page.getByRole('button', { name: 'Try again' }).click();
  await expect(page.getByRole('heading', { name: 'Apps', level: 1 })).toBeVisible();
});

test('a request for the signed-in user is not answered with "nobody"', async ({ page, service }) => {
  await signInTo(page, service, newEmail(), '/account');
  const ask = () => page.request.get(`${service}/api/auth/session`);
  await expect(async () => {
    await whileConnectionsWaitFor('session', {
      ask,
      work: async () => {
        const answer = await ask();
        expect(told(answer)).toEqual(BUSY);
        expect(await answer.json()).toMatchObject({ error: { type: 'overloaded', code: '503' } });
      },
    });
  }).toPass();
  expect(await (await ask()).json()).toHaveProperty('expires');
});

test('a checkout says so inside its frame, and loads on the next attempt', async ({ page, service }) => {
  const address = `${service}/checkout/ckv_1`;
  await expect(async () => {
    await whileConnectionsWaitFor('checkout_visit', {
      ask: () => page.request.get(address),
      work: async () => {
        const answer = await page.goto(address);
        expect(told(answer)).toEqual(BUSY);
        // Which pages may frame it could not be read, and this page contains nothing to protect.
        expect(answer?.headers()['content-security-policy']).not.toContain('frame-ancestors');
      },
    });
  }).toPass();
  await expect(page.getByRole('heading', { name: 'Checkout couldn’t be opened' })).toBeVisible();
  await expectFine(page);
  await page.getByRole('button', { name: 'Try again' }).click();
  await expect(page.getByRole('heading', { name: 'This checkout is no longer open' })).toBeVisible();
});
