import { readFileSync } from 'node:fs';
import { afterAll, afterEach, beforeEach, describe, expect, test, vi } from 'vitest';
import { startSandboxPayments } from '@/sandbox/payments/server';
import { now, nowDate, SECOND_MS, setClock } from '@/server/base/clock';
import { prisma } from '@/server/base/db';
import { readSettings, settings } from '@/server/base/env';
import { log } from '@/server/base/log';
import { runCommand } from '@/server/operator/cli/run';
import { createPartner } from '@/server/partners/partner';
import { checkMode, checkSetup } from '@/server/payments/checkout/check-setup';
import { sweepPaymentMethodDomains } from '@/server/payments/checkout/payment-method-domains';
import { HEARD_EVENTS } from '@/server/payments/checkout/stripe/events';
import { CONNECT_EVENTS } from '@/server/payments/payouts/stripe/events';
import { checkPaymentSetup } from '@/server/process/check-payment-setup';
import { newDatabase } from '../../harness';
import { sandboxStripe } from '../../harness/sandbox-stripe';

/** The check of a Stripe account: each bad state has its line, against the sandbox processor. */

await newDatabase();
const ADDRESS = 'http://localhost:9/api/stripe';
const sandbox = await startSandboxPayments({
  secretKey: 'rk_test_setup',
  webhookUrl: ADDRESS,
  webhookSecret: 'whsec_setup',
  store: { load: async () => [], save: async () => {}, clear: async () => {} },
});
Object.assign(process.env, {
  BASE_URL: 'http://localhost:9',
  CHECKOUT_URL: 'https://pay.example.com',
  STRIPE_SECRET_KEY: 'rk_test_setup',
  STRIPE_WEBHOOK_SECRET: 'whsec_setup',
  STRIPE_API_BASE: sandbox.url,
  STRIPE_AUTOMATIC_TAX: 'true',
  STRIPE_TERMS_OF_SERVICE: 'true',
});
afterAll(() => sandbox.close());
await createPartner({ name: 'Notes', rateBp: 2500, origins: ['https://app.example.com', 'myapp://*'] });
const openAll = () => prisma().partnerOrigin.updateMany({ data: { openedAt: nowDate() } });
await openAll();

const control = async (command: object) => {
  const response = await fetch(`${sandbox.url}/__sandbox/control`, {
    method: 'POST',
    body: JSON.stringify(command),
  });
  expect(response.status, await response.text()).toBe(200);
};
/** The account differs from a good one in this. */
const change = (account: object) => control({ account });

await control({ webhooks: 'hold' });
afterEach(async () => {
  setClock();
  await change({});
});

async function lineOf(name: string): Promise<string> {
  const line = (await checkSetup()).find((check) => check.name === name);
  return `${line?.state}: ${line?.found} ${line?.fix ?? ''}`.trim();
}

test('an account that is ready passes, and the command exits with 0', async () => {
  await sweepPaymentMethodDomains();
  const checks = await checkSetup();
  expect(checks.filter(({ state }) => state !== 'ok')).toEqual([]);
  expect(checks.map(({ name }) => name)).toEqual([
    'Keys and addresses',
    'Account',
    'Card statement',
    'Clock',
    'Webhook endpoint',
    'Tax',
    'Terms of service',
    'Apple Pay and Google Pay',
    'Rights of the key',
  ]);
  const { code, lines } = await runCheck();
  expect([code, lines.length]).toEqual([0, checks.length]);
  expect(lines[0]).toMatch(/^ok +Keys and addresses +The payment sandbox is used instead of Stripe\.$/);
});

test('the check leaves nothing behind that can be paid @attack', async () => {
  const stripe = sandboxStripe(sandbox.url, 'rk_test_setup');
  await checkSetup();
  const { data } = await stripe.checkout.sessions.list({ limit: 100 });
  expect(data.length).toBeGreaterThan(0);
  expect(data.filter(({ status }) => status !== 'expired')).toEqual([]);
});

async function runCheck(): Promise<{ code: number; lines: string[] }> {
  const printed: string[] = [];
  const output = { out: (text: string) => printed.push(text), err: (text: string) => printed.push(text) };
  const code = await runCommand(['stripe', 'check'], output);
  return { code, lines: printed.join('').trim().split('\n') };
}

test.each<[name: string, account: object, line: RegExp]>([
  [
    'Account',
    { charges_enabled: false },
    /^wrong: acct_sandbox cannot take payments\. Complete it: Stripe d/,
  ],
  ['Account', { payouts_enabled: false }, /^warning: .* but Stripe pays nothing out\./],
  ['Account', { currently_due: ['external_account'] }, /^warning: .* Missing: external_account\./],
  ['Card statement', { statement_descriptor: null }, /^warning: The account has no statement descriptor\./],
  [
    'Card statement',
    { statement_descriptor: 'A VERY LONG NAME' },
    /^warning: "A VERY LONG NAME\* CREDITS" is/,
  ],
  [
    'Webhook endpoint',
    { webhook: null },
    /^warning: Stripe sends no events to .* stripe listen --forward-to/,
  ],
  [
    'Webhook endpoint',
    { webhook: { url: 'https://pay.example.com/api/stripe' } },
    /^warning: Stripe sends no/,
  ],
  [
    'Webhook endpoint',
    { webhook: { status: 'disabled' } },
    /^wrong: .* is disabled\. Enable it \(Stripe dash/,
  ],
  [
    'Webhook endpoint',
    { webhook: { events: HEARD_EVENTS.filter((name) => name !== 'charge.dispute.created') } },
    /^wrong: .* does not send charge\.dispute\.created\. Add these events/,
  ],
  [
    'Webhook endpoint',
    { webhook: { style: 'thin', events: HEARD_EVENTS.slice(1) } },
    /^wrong: .* does not send checkout\.session\.completed\./,
  ],
  ['Webhook endpoint', { webhook: { style: 'thin' } }, /^ok: .* \(payload style: thin\)\.$/],
  ['Webhook endpoint', { forbidden: ['GET webhook_endpoints'] }, /^warning: The key may not .*"Webhook Endp/],
  ['Tax', { tax_missing: ['head_office'] }, /^wrong: .* Missing: head_office\. .*STRIPE_AUTOMATIC_TAX=false/],
  ['Tax', { tax_registrations: 0 }, /^warning: There is no registration, so all tax is zero\./],
  ['Terms of service', { has_terms: false }, /^wrong: .*You cannot collect consent.*STRIPE_TERMS_OF_SERVICE/],
  [
    'Rights of the key',
    { forbidden: ['GET disputes', 'POST refunds'] },
    /^wrong: The restricted key lacks Disputes: Read, Charges and Refunds: Write\./,
  ],
  ['Account', { forbidden: ['GET account'] }, /^warning: The key may not read this\. .*"Account: Read"/],
])('%s with %j', async (name, account, line) => {
  await change(account);
  expect(await lineOf(name)).toMatch(line);
  expect((await runCheck()).code).toBe(line.source.startsWith('^wrong') ? 1 : 0);
});

test('a domain that is inactive or not registered is named with the reason', async () => {
  await change({ apple_refuses: ['slow.example.com'] });
  await createPartner({ name: 'Slow', rateBp: 0, origins: ['https://slow.example.com'] });
  await openAll();
  await sweepPaymentMethodDomains();
  await createPartner({ name: 'Tasks', rateBp: 0, origins: ['https://tasks.example.com:8443'] });
  await openAll();
  expect(await lineOf('Apple Pay and Google Pay')).toMatch(
    /^warning: Not active on slow\.example\.com \(Apple could not verify the domain\.\), tasks\.example\.com \(not registered\)\./,
  );
});

test.each([
  [20, /^ok: It agrees/],
  [60, /^warning: .* clock is (59|60|61) seconds ahead of Stripe's\. From 300/],
  [-400, /^wrong: .* clock is (399|400|401) seconds behind Stripe's: every event/],
])('a clock that is %i seconds off', async (seconds, line) => {
  const off = now() + seconds * SECOND_MS;
  setClock(() => off);
  expect(await lineOf('Clock')).toMatch(line);
});

test('a key that Stripe does not know, or no Stripe, is the only finding', async () => {
  await control({ fail_next: { status: 500, times: 3, path: 'account' } });
  const checks = await checkSetup();
  expect(checks.map(({ name, state }) => [name, state])).toEqual([
    ['Keys and addresses', 'ok'],
    ['Account', 'wrong'],
  ]);
});

test('the mode of the keys is shown, and a live key on this machine is wrong', () => {
  const stateOf = (mode: 'live' | 'test', BASE_URL: string) =>
    checkMode(
      readSettings({
        BASE_URL,
        STRIPE_SECRET_KEY: `sk_${mode}_x`,
        STRIPE_PUBLISHABLE_KEY: `pk_${mode}_x`,
        STRIPE_WEBHOOK_SECRET: 'whsec_x',
      }),
    );
  expect(stateOf('live', 'https://localhost')).toMatchObject({ state: 'wrong' });
  expect(stateOf('live', 'https://pay.example.com')).toMatchObject({ state: 'ok' });
  expect(stateOf('test', 'https://pay.example.com')).toMatchObject({ state: 'warning' });
  expect(stateOf('test', 'http://localhost:3000')).toMatchObject({ state: 'ok' });
});

test('payouts by Stripe without a key for it stop the start, unless the sandbox stands in', () => {
  const start = (given: object) => () => readSettings({ PAYOUTS: 'stripe', ...given });
  expect(start({ SANDBOX: 'closed' })).toThrow(
    'PAYOUTS: expected manual, because STRIPE_SECRET_KEY is unset',
  );
  expect(start({})).not.toThrow();
});

test('at start only a live key is checked, and nothing waits for the answer', async () => {
  const warn = vi.spyOn(log(), 'warn').mockImplementation(() => {});
  const check = vi.fn(() => Promise.reject(new Error('unreachable')));
  checkPaymentSetup(check);
  expect(check).not.toHaveBeenCalled();
  checkPaymentSetup(check, 'rk_live_x');
  await vi.waitFor(() => expect(warn).toHaveBeenCalledTimes(1));
  const findings = [
    { name: 'Tax', state: 'wrong' as const, found: 'f', fix: 'do' },
    { name: 'Clock', state: 'ok' as const, found: 'f', fix: null },
  ];
  checkPaymentSetup(() => Promise.resolve(findings), 'sk_live_x');
  await vi.waitFor(() => expect(warn).toHaveBeenCalledTimes(2));
  expect(warn).toHaveBeenLastCalledWith(
    { check: 'Tax', state: 'wrong', found: 'f', fix: 'do' },
    'the payment set-up needs attention',
  );
  warn.mockRestore();
});

test('docs/payments.md lists the events that are heard', () => {
  const text = readFileSync('docs/payments.md', 'utf8');
  const [, list = ''] = /with these events.*:\n\n(.*)\n/.exec(text) ?? [];
  expect(list.replaceAll('`', '').split(' ').sort()).toEqual([...HEARD_EVENTS].sort());
});

test('docs/payouts.md lists the events of connected accounts', () => {
  const text = readFileSync('docs/payouts.md', 'utf8');
  const [, list = ''] = /events of connected accounts\* with ((?:`[\w.]+` )*`[\w.]+`)/.exec(text) ?? [];
  expect(list.replaceAll('`', '').split(' ').sort()).toEqual([...CONNECT_EVENTS].sort());
});

describe('with PAYOUTS=stripe', () => {
  beforeEach(() => {
    Object.assign(settings(), { PAYOUTS: 'stripe', STRIPE_CONNECT_WEBHOOK_SECRET: 'whsec_x' });
  });
  afterEach(() => {
    Object.assign(settings(), { PAYOUTS: 'manual', STRIPE_CONNECT_WEBHOOK_SECRET: undefined });
  });

  test('an account that can pay partners passes', async () => {
    expect(await lineOf('Payouts by Connect')).toBe('ok: Accounts of partners can be created.');
    expect(await lineOf('Balance for payouts')).toBe('ok: The account holds USD.');
    expect(await lineOf('Webhook endpoint for payouts')).toMatch(/^ok: .* sends all 5 events/);
    expect(await lineOf('Rights of the key')).toMatch(/^ok/);
  });

  test('an account without Connect, its endpoint or its rights is reported', async () => {
    await change({ has_connect: false, connect_webhook: null });
    expect(await lineOf('Payouts by Connect')).toMatch(/^wrong: .*signed up for Connect/);
    expect(await lineOf('Webhook endpoint for payouts')).toMatch(/^warning: Stripe sends no events/);
    await change({ connect_webhook: { events: ['account.updated'] } });
    expect(await lineOf('Webhook endpoint for payouts')).toMatch(/^wrong: .* does not send .*payout\.paid/);
    await change({ forbidden: ['POST accounts', 'POST transfers', 'GET balance'] });
    expect(await lineOf('Payouts by Connect')).toMatch(/^wrong: The key may not create accounts/);
    expect(await lineOf('Rights of the key')).toMatch(/^wrong: .*Transfers: Write/);
    expect(await lineOf('Balance for payouts')).toMatch(/^warning: The key may not read this/);
    Object.assign(settings(), { STRIPE_CONNECT_WEBHOOK_SECRET: undefined });
    await change({});
    expect(await lineOf('Webhook endpoint for payouts')).toMatch(/^wrong: STRIPE_CONNECT_WEBHOOK_SECRET/);
  });
});
