import type Stripe from 'stripe';
import { afterAll, afterEach, expect, test } from 'vitest';
import { startSandboxPayments } from '@/sandbox/payments/server';
import { DAY_MS, HOUR_MS, MINUTE_MS, now, nowDate, setClock } from '@/server/base/clock';
import { prisma } from '@/server/base/db';
import { noteOpened } from '@/server/partners/origins';
import {
  addOrigin,
  addOwnOrigin,
  createPartner,
  disablePartner,
  type Partner,
  removeOrigin,
} from '@/server/partners/partner';
import type { AppOfTeam } from '@/server/partners/teams';
import { findDomains, sweepPaymentMethodDomains } from '@/server/payments/checkout/payment-method-domains';
import { stripe as connected } from '@/server/payments/checkout/stripe/client';
import { openVisit } from '@/server/payments/checkout/visits';
import { newDatabase } from '../../harness';
import { sandboxStripe } from '../../harness/sandbox-stripe';

/** The domains on which Apple Pay and Google Pay appear, against the sandbox processor. */

await newDatabase();
const SECRET_KEY = 'sk_test_domains';
const sandbox = await startSandboxPayments({
  secretKey: SECRET_KEY,
  webhookUrl: 'http://localhost:9/api/stripe',
  webhookSecret: 'whsec_domains',
  store: { load: async () => [], save: async () => {}, clear: async () => {} },
});
Object.assign(process.env, {
  CHECKOUT_URL: 'https://pay.example.com/checkout',
  STRIPE_SECRET_KEY: SECRET_KEY,
  STRIPE_WEBHOOK_SECRET: 'whsec_domains',
  STRIPE_API_BASE: sandbox.url,
});
afterAll(() => sandbox.close());
afterEach(() => setClock());

const stripe = sandboxStripe(sandbox.url, SECRET_KEY);
const control = async (command: object) => {
  const response = await fetch(`${sandbox.url}/__sandbox/control`, {
    method: 'POST',
    body: JSON.stringify(command),
  });
  expect(response.status, await response.text()).toBe(200);
};

/** `host` or `host (disabled)`, as Stripe has them. */
async function listRegistered(): Promise<string[]> {
  const { data } = await stripe.paymentMethodDomains.list({ limit: 100 });
  return data.map(({ domain_name, enabled }) => `${domain_name}${enabled ? '' : ' (disabled)'}`).sort();
}

async function callsDuring(work: () => Promise<unknown>): Promise<string[]> {
  const calls: string[] = [];
  const note = ({ method, path }: Stripe.RequestEvent) =>
    void calls.push(`${method} ${path.replace(/\?.*/, '').replace(/pmd_\w+/, ':id')}`);
  connected().on('request', note);
  try {
    await work();
  } finally {
    connected().off('request', note);
  }
  return calls;
}

const stateOf = async (origin: string) => (await findDomains([origin])).get(origin);
const laterBy = (ms: number) => {
  const later = now() + ms;
  setClock(() => later);
};

const notes = await createPartner({
  name: 'Notes',
  rateBp: 2500,
  origins: ['https://app.example.com', 'https://shared.example.com:8443', 'http://plain.example.com'],
});
const tasks = await createPartner({
  name: 'Tasks',
  rateBp: 2500,
  origins: ['https://shared.example.com', 'https://192.0.2.7', 'https://printer.local', 'myapp://*'],
});
await prisma().partnerOrigin.updateMany({ data: { openedAt: nowDate() } });

async function addOpened(partnerId: string, origin: string): Promise<void> {
  await addOrigin(partnerId, origin);
  await noteOpened(partnerId, origin);
}

test('our checkout and the https origins of apps are registered once @attack', async () => {
  expect(await stateOf('https://app.example.com')).toBe('unregistered');
  await Promise.all([sweepPaymentMethodDomains(), sweepPaymentMethodDomains()]);
  expect(await listRegistered()).toEqual(['app.example.com', 'pay.example.com', 'shared.example.com']);
  expect(await stateOf('https://app.example.com')).toMatchObject({
    applePay: true,
    googlePay: true,
    error: null,
  });
  expect(await stateOf('https://192.0.2.7')).toBeNull();
  expect(await stateOf('myapp://*')).toBeNull();
  expect(await callsDuring(sweepPaymentMethodDomains)).toEqual([]);
});

test('a domain is disabled when no app uses it, and enabled when one does again @attack', async () => {
  await removeOrigin(notes.id, 'https://app.example.com');
  await removeOrigin(notes.id, 'https://shared.example.com:8443');
  await sweepPaymentMethodDomains();
  expect(await listRegistered()).toEqual([
    'app.example.com (disabled)',
    'pay.example.com',
    'shared.example.com',
  ]);
  await disablePartner(tasks.id);
  await addOpened(notes.id, 'https://app.example.com');
  await sweepPaymentMethodDomains();
  expect(await listRegistered()).toEqual([
    'app.example.com',
    'pay.example.com',
    'shared.example.com (disabled)',
  ]);
  expect(await prisma().paymentMethodDomain.count()).toBe(2);
});

test('a domain that Apple does not accept yet is checked again every hour', async () => {
  await control({ account: { apple_refuses: ['slow.example.com'] } });
  await addOpened(notes.id, 'https://slow.example.com');
  await sweepPaymentMethodDomains();
  const inactive = { applePay: false, googlePay: true, error: 'Apple could not verify the domain.' };
  expect(await stateOf('https://slow.example.com')).toMatchObject(inactive);
  await control({ account: {} });
  expect(await callsDuring(sweepPaymentMethodDomains)).toEqual([]);
  laterBy(HOUR_MS);
  await sweepPaymentMethodDomains();
  expect(await stateOf('https://slow.example.com')).toMatchObject({ applePay: true, error: null });
});

test('a registration that fails is repeated, and does not stop the others', async () => {
  await control({ account: { forbidden: ['POST payment_method_domains'] } });
  await addOpened(notes.id, 'https://new.example.com');
  await sweepPaymentMethodDomains();
  expect(await stateOf('https://new.example.com')).toMatchObject({
    applePay: null,
    error: expect.stringContaining('does not have the required permissions'),
  });
  await control({ account: {} });
  expect(await callsDuring(sweepPaymentMethodDomains)).toEqual([]);
  laterBy(10 * MINUTE_MS);
  await sweepPaymentMethodDomains();
  expect(await stateOf('https://new.example.com')).toMatchObject({ applePay: true, error: null });
});

test('invented origins are not registered, and domains that fail keep no new one waiting @attack', async () => {
  const busy = await createPartner({ name: 'Busy', rateBp: 0, origins: [] });
  for (let n = 0; n < 40; n++) await addOrigin(busy.id, `https://unseen-${n}.example.com`);
  expect(await callsDuring(sweepPaymentMethodDomains)).toEqual([]);

  const failing = Array.from({ length: 30 }, (_, n) => `failing-${n}.example.com`);
  await control({ account: { apple_refuses: failing } });
  for (const host of failing) await addOpened(busy.id, `https://${host}`);
  await sweepPaymentMethodDomains();
  await sweepPaymentMethodDomains();
  expect(await stateOf('https://failing-29.example.com')).toMatchObject({ applePay: false, failures: 1 });
  laterBy(HOUR_MS);
  await addOrigin(notes.id, 'https://honest.example.com');
  await openVisit({
    publishableKey: notes.publishableKey,
    origin: 'https://honest.example.com',
    display: 'embedded',
    currency: 'usd',
    challenge: 'c'.repeat(43),
    clientIp: '',
  });
  await sweepPaymentMethodDomains();
  expect(await stateOf('https://honest.example.com')).toMatchObject({ applePay: true, failures: 0 });
  await sweepPaymentMethodDomains();
  expect(await stateOf('https://failing-29.example.com')).toMatchObject({ failures: 2 });
  laterBy(HOUR_MS);
  expect(await callsDuring(sweepPaymentMethodDomains)).toEqual([]);
  laterBy(HOUR_MS);
  expect(await callsDuring(sweepPaymentMethodDomains)).not.toEqual([]);
  await control({ account: {} });
});

test('a domain that was never checked does not wait for 30 that are due again', async () => {
  const due = Array.from({ length: 30 }, (_, n) => `due-${n}.example.com`);
  for (const host of due) await addOpened(notes.id, `https://${host}`);
  for (let n = 0; n < 2; n++) await sweepPaymentMethodDomains();
  laterBy(2 * DAY_MS);
  await addOpened(notes.id, 'https://first.example.com');
  await sweepPaymentMethodDomains();
  expect(await stateOf('https://first.example.com')).toMatchObject({ applePay: true, error: null });
});

test('an owner adds at most 100 origins in a day, over all apps @attack', async () => {
  const ownerEmail = 'owner@example.com';
  const apps: Partner[] = [];
  for (const name of ['Lime', 'Mint'])
    apps.push(await createPartner({ name, rateBp: 0, origins: [], ownerEmail }));
  const add = (n: number) =>
    addOwnOrigin(apps[n % 2] as AppOfTeam, `https://own-${n}.example.com`, 'usr_owner');
  for (let n = 0; n < 100; n++) await add(n);
  await expect(add(100)).rejects.toMatchObject({ code: 'rate_limited' });
});
