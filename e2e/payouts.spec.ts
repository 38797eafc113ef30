import type { ChildProcess } from 'node:child_process';
import path from 'node:path';
import { expect, type Page } from 'playwright/test';
import { addressOn, withClient } from '../tests/harness/database-connection';
import { readPdfText } from '../tests/harness/pdf-text';
import { expectGoodAppearance } from './fixtures/appearance';
import { newEmail, readCode, test } from './fixtures/checkout-walk';
import { signInTo } from './fixtures/dashboard';
import { openInteractive, watchInteractive } from './fixtures/interactive';
import { type Processor, processorAt } from './fixtures/processor';
import {
  end,
  type Installation,
  ownInstallation,
  removeData,
  runCommand,
  spawnServer,
  waitUntilReady,
} from './fixtures/server';

/** What a partner sees of payouts by Stripe, against the payment sandbox. */

test.use({ locale: 'en-US', timezoneId: 'UTC' });
test.describe.configure({ mode: 'serial', timeout: 300_000 });

const PORT = Number(process.env.E2E_PORT ?? 3999) + 43;
const SERVICE = `http://localhost:${PORT}`;
const DATABASE = `test_e2e_payouts_${process.pid}`;
const PAGE_LIMIT_MS = Number(process.env.PAGE_LIMIT_MS ?? 5_000);
const OWNER = newEmail();
const DAYS_BACK = 40;

let server: ChildProcess;
let installation: Required<Installation>;
let app: { id: string; publishable_key: string };
let processorUrl: string;
let charge: string;

const onDatabaseServer = (sql: string) =>
  withClient(addressOn(ownInstallation().databaseUrl, 'postgres'), (client) => client.query(sql));
const query = async <Row>(sql: string, values: unknown[] = []): Promise<Row[]> =>
  (await withClient(installation.databaseUrl, (client) => client.query(sql, values))).rows as Row[];

test.beforeAll(async () => {
  await onDatabaseServer(`CREATE DATABASE ${DATABASE}`);
  installation = {
    dataDir: path.resolve(import.meta.dirname, `../.data/e2e-payouts-${process.pid}`),
    databaseUrl: addressOn(ownInstallation().databaseUrl, DATABASE),
  };
  const settings = { PAYOUTS: 'stripe', PAYOUT_SCHEDULE: 'on_request', PAYOUT_MINIMUM: '1' };
  server = spawnServer({ port: PORT, ...installation, settings: { ...settings, ...SELLER } });
  await waitUntilReady(server);
  const create = ['partner', 'create', '--name', 'Harbour', '--rate', '100', '--owner', OWNER];
  const made = runCommand(create, installation) as { partner_id: string; publishable_key: string };
  app = { id: made.partner_id, publishable_key: made.publishable_key };
});

test.afterAll(async () => {
  await end(server);
  await onDatabaseServer(`DROP DATABASE IF EXISTS ${DATABASE} WITH (FORCE)`);
  removeData(installation.dataDir);
});

const SELLER = { SELLER_NAME: 'Example Software GmbH', SELLER_ADDRESS: 'Mariahilfer Straße 1, 1060 Wien' };

async function call(page: Page, route: string, data: object, key?: string): Promise<Record<string, string>> {
  const headers = key === undefined ? {} : { authorization: `Bearer ${key}` };
  const response = await page.request.post(`${SERVICE}/v1/${route}`, { data, headers, timeout: 60_000 });
  expect(response.status(), await response.text()).toBe(200);
  return (await response.json()) as Record<string, string>;
}

/** A user buys credits in the app and spends most of them. */
async function earn(page: Page): Promise<void> {
  const email = newEmail();
  const { publishable_key } = app;
  const { challenge_id } = await call(page, 'auth/send-code', { publishable_key, email });
  const code = await readCode(page, SERVICE, email);
  const { user_key: key = '' } = await call(page, 'auth/verify-code', {
    publishable_key,
    email,
    challenge_id,
    code,
  });
  const bought = await call(page, 'credits/checkout', { amount: 10, currency: 'usd' }, key);
  const card = { number: '4242 4242 4242 4242', expiry: '12/40', cvc: '123', name: 'Ada Lovelace' };
  const form = bought.checkout_url ?? '';
  expect((await page.request.post(form, { data: card })).ok()).toBe(true);
  processorUrl = new URL(form).origin;
  charge = await findLastCharge(processorAt(page, processorUrl));
  const bookedAs = `SELECT count(*)::integer AS n FROM purchase WHERE session_id = $1`;
  await expect.poll(async () => (await query<{ n: number }>(bookedAs, [bought.session_id]))[0]?.n).toBe(1);
  const prompt = 'harbour '.repeat(100_000);
  for (let requests = 0; requests < 14; requests++)
    await call(
      page,
      'chat/completions',
      { model: 'sandbox/story', messages: [{ role: 'user', content: prompt }], max_tokens: 50 },
      key,
    );
}

async function findLastCharge(processor: Processor): Promise<string> {
  const [paid] = await processor.events('payment_intent.succeeded');
  return (paid?.event.data.object as { latest_charge?: string } | undefined)?.latest_charge ?? '';
}

/** Everything that was booked lately happened so many days earlier: what was earned has matured. */
async function goBack(days: number): Promise<void> {
  await withClient(installation.databaseUrl, async (client) => {
    await client.query('BEGIN');
    await client.query('SET LOCAL session_replication_role = replica');
    await client.query(
      `UPDATE ledger_transaction SET created_at = created_at - make_interval(days => $1) WHERE created_at > now() - interval '30 days'`,
      [days],
    );
    await client.query(`UPDATE watermark SET up_to = '2000-01-01' WHERE name = 'earnings'`);
    await client.query('DELETE FROM earnings_rollup');
    await client.query('DELETE FROM earnings_day');
    await client.query('COMMIT');
    await client.query(`SELECT ledger_roll_up('0 seconds')`);
  });
}

/** The payouts were made a month earlier. */
async function letMonthPass(): Promise<void> {
  await withClient(installation.databaseUrl, async (client) => {
    await client.query('BEGIN');
    await client.query('SET LOCAL session_replication_role = replica');
    await client.query(
      `UPDATE payout SET period = period - interval '1 month', created_at = created_at - interval '31 days'`,
    );
    await client.query('COMMIT');
  });
}

const payoutsPage = () => `/partner/${app.id}/payouts`;
const open = (page: Page) => page.goto(SERVICE + payoutsPage());
const stat = (page: Page, label: string) =>
  page.locator('dl > div').filter({ has: page.locator('dt', { hasText: new RegExp(`^${label}$`) }) });

/** Reloads until the page says it: jobs and events work in the background. */
async function expectEventually(page: Page, text: string | RegExp): Promise<void> {
  await expect(async () => {
    await page.reload();
    await expect(page.getByText(text).filter({ visible: true }).first()).toBeVisible({ timeout: 1_000 });
  }).toPass({ timeout: 150_000 });
}

async function sumOf(page: Page, address: string): Promise<bigint> {
  const response = await page.request.get(SERVICE + address);
  expect(response.headers()['content-type']).toContain('text/csv');
  const rows = (await response.text()).trim().split('\r\n').slice(1);
  return rows.reduce((sum, row) => sum + BigInt(row.split(',').at(-1) ?? ''), 0n);
}

async function request(page: Page): Promise<void> {
  await page.getByRole('button', { name: /^Request payout/ }).click();
  await page
    .getByRole('alertdialog')
    .getByRole('button', { name: /^Request payout/ })
    .click();
  await expect(page.getByText('Payout requested')).toBeVisible();
}

test('a partner is onboarded, paid, returned by the bank and paid again', async ({ page }) => {
  await signInTo(page, SERVICE, OWNER, payoutsPage());
  await test.step('before anything was earned, the page says what will appear and what to do', async () => {
    await expect(page.getByText('No payouts yet')).toBeVisible();
    await expect(page.getByText('Payouts need an account at Stripe')).toBeVisible();
    await expectGoodAppearance(page, 'payouts-empty');
  });
  await test.step('Stripe lacks a document, which the page names', async () => {
    await page.getByRole('button', { name: 'Set up payouts with Stripe' }).click();
    await expect(page.getByText('Choose a country')).toBeVisible();
    await page.getByLabel('Country of your company or home').selectOption('Austria');
    await page.getByRole('button', { name: 'Set up payouts with Stripe' }).click();
    await page.getByRole('button', { name: 'Leave an identity document due' }).click();
    await expect(page).toHaveURL(SERVICE + payoutsPage());
    await expect(
      page.getByText(/Until Stripe has it, you are not paid: .*an identity document/),
    ).toBeVisible();
    await expectGoodAppearance(page, 'payouts-account-due');
  });
  await test.step('the rest is done', async () => {
    await page.getByRole('button', { name: 'Continue at Stripe' }).click();
    await page.getByRole('button', { name: 'Finish' }).click();
    await expect(page.getByText('Active', { exact: true })).toBeVisible();
  });
  await test.step('what has matured is payable, and the first payout waits for approval', async () => {
    await earn(page);
    await page.reload();
    await expect(stat(page, 'Payable now')).toContainText('$0.00');
    await goBack(DAYS_BACK);
    await page.reload();
    await expect(stat(page, 'Payable now')).not.toContainText('$0.00');
    await expectGoodAppearance(page, 'payouts-payable');
    await request(page);
    await expect(page.getByRole('link', { name: /\d{4}$/ })).toBeVisible();
    await expect(page.getByText('Awaiting approval')).toBeVisible();
    await page.getByRole('link', { name: /^[A-Z][a-z]+ \d{4}$/ }).click();
    await expect(page.getByText('We check the first payout to a new destination')).toBeVisible();
    await expectGoodAppearance(page, 'payout-awaiting-approval');
  });
  await test.step('an empty balance of the operator delays it, and then it is sent', async () => {
    const processor = processorAt(page, processorUrl);
    await processor.control({ balance: 0 });
    await query(`UPDATE payout SET approved_by = 'operator@example.com'`);
    await expectEventually(page, 'Waiting for balance');
    await expectGoodAppearance(page, 'payout-waiting-for-balance');
    await processor.control({ balance: 1_000_000 });
    await query('UPDATE payout SET next_look_at = now()');
    await expectEventually(page, 'It is in your Stripe account');
    await expectGoodAppearance(page, 'payout-sent');
  });
  await test.step('the bank returns it, the partner corrects the account at Stripe, and it arrives', async () => {
    const processor = processorAt(page, processorUrl);
    const [account] = await query<{ id: string }>('SELECT processor_account_id AS id FROM payout_account');
    await processor.control({ bank_payout: { account: account?.id ?? '', outcome: 'failed' } });
    await expectEventually(page, 'Returned by the bank');
    await expect(page.getByText('The bank account has been closed.')).toBeVisible();
    await expectGoodAppearance(page, 'payout-returned-by-bank');
    await processor.control({ bank_payout: { account: account?.id ?? '', outcome: 'paid' } });
    await expectEventually(page, 'Stripe paid it out to your bank.');
  });
  await test.step('the statements open and add up to the payout', async () => {
    const [payout] = await query<{ id: string; amount: string }>('SELECT id, amount::text FROM payout');
    const address = `${payoutsPage()}/${payout?.id}`;
    expect(await sumOf(page, `${address}/statement.csv`)).toBe(BigInt(payout?.amount ?? ''));
    const pdf = await page.request.get(`${SERVICE}${address}/statement.pdf`);
    expect(pdf.headers()['content-type']).toBe('application/pdf');
    const lines = readPdfText(await pdf.body());
    expect(lines).toEqual(
      expect.arrayContaining(['Commission statement', payout?.id, SELLER.SELLER_NAME, 'sandbox/story']),
    );
  });
});

test('what a dispute takes back after the payout is offset against the next one', async ({ page }) => {
  await signInTo(page, SERVICE, OWNER, payoutsPage());
  const [first] = await query<{ amount: string }>('SELECT amount::text FROM payout');
  await processorAt(page, processorUrl).control({ open_dispute: { charge, status: 'needs_response' } });
  await expect(async () => {
    await page.reload();
    await expect(stat(page, 'Payable now')).toContainText('-$');
  }).toPass({ timeout: 60_000 });
  await expect(page.getByText(/is offset against your next earnings/)).toBeVisible();
  await expectGoodAppearance(page, 'payouts-owed');
  // The next month, with new earnings of the same amount and more.
  await letMonthPass();
  await earn(page);
  await earn(page);
  await goBack(DAYS_BACK);
  await open(page);
  await expect(stat(page, 'Payable now')).not.toContainText('-');
  await request(page);
  const [next] = await query<{ id: string; amount: string }>(
    'SELECT id, amount::text FROM payout ORDER BY created_at DESC LIMIT 1',
  );
  const [earned] = await query<{ sum: string }>(
    `SELECT sum(amount)::text AS sum FROM payout_item WHERE payout_id = $1 AND kind = 'earned'`,
    [next?.id],
  );
  expect(BigInt(next?.amount ?? '')).toBeLessThan(
    BigInt(earned?.sum ?? '') - BigInt(first?.amount ?? '') + 2_000_000n,
  );
  expect(await sumOf(page, `${payoutsPage()}/${next?.id}/statement.csv`)).toBe(BigInt(next?.amount ?? ''));
  await page.goto(`${SERVICE}${payoutsPage()}/${next?.id}`);
  await expect(page.getByRole('columnheader', { name: 'Reversed' }).first()).toBeVisible();
  await expectGoodAppearance(page, 'payout-offset');
});

const STATES: [string, string, string][] = [
  [
    'planned',
    `state = 'planned', approved_by = 'service'`,
    'It is transferred to your Stripe account within minutes',
  ],
  [
    'held',
    `state = 'planned', held_at = now(), held_reason = 'We check a dispute.'`,
    'We paused this payout: We check a dispute.',
  ],
  ['sending', `state = 'sending', held_at = NULL`, 'It is being transferred'],
  [
    'in-transit',
    `state = 'sent', bank_state = 'in_transit', sent_at = now()`,
    'Stripe is paying it out to your bank',
  ],
  [
    'failed',
    `state = 'failed', bank_state = NULL, failure = 'Stripe refused the transfer.', ended_at = now()`,
    'It was not sent: Stripe refused the transfer.',
  ],
  [
    'returned',
    `state = 'returned', failure = 'Reversed by the operator'`,
    'The money came back: Reversed by the operator.',
  ],
  [
    'by-hand',
    `state = 'sent', method = 'manual', reference = 'SEPA-17', paid_currency = 'eur', paid_minor = 1150, rate = 0.92`,
    'SEPA-17',
  ],
];

test('every state of a payout says what happened and what to do', async ({ page }) => {
  await signInTo(page, SERVICE, OWNER, payoutsPage());
  const [payout] = await query<{ id: string }>('SELECT id FROM payout ORDER BY created_at DESC LIMIT 1');
  // So that the service does not send it.
  await query('UPDATE team SET payouts_held_at = now()');
  for (const [name, change, text] of STATES) {
    await query(`UPDATE payout SET lease_until = now() + interval '1 day', ${change} WHERE id = $1`, [
      payout?.id,
    ]);
    await page.goto(`${SERVICE}${payoutsPage()}/${payout?.id}`);
    await expect(page.getByText(text).first()).toBeVisible();
    await expectGoodAppearance(page, `payout-${name}`);
    if (name !== 'returned') continue;
    await open(page);
    await expect(page.getByText('We paused the payouts of your team')).toBeVisible();
    await query('UPDATE team SET payouts_held_at = NULL');
    await open(page);
    await expect(page.getByRole('button', { name: 'Request payout again' })).toBeVisible();
    await expectGoodAppearance(page, 'payouts-again');
  }
});

test('three years of payouts open as fast as any page', async ({ page, context }) => {
  await signInTo(page, SERVICE, OWNER, payoutsPage());
  await watchInteractive(context);
  const [newest] = await query<{ id: string }>(`
    WITH made AS (
      INSERT INTO payout (id, team_id, period, amount, method, state, posted_until, created_at, sent_at, approved_by)
      SELECT 'po_year' || m, t.id, (date '2023-01-01' + make_interval(months => m))::date, 50000000, 'manual', 'sent', now(),
             date '2023-01-01' + make_interval(months => m), now(), 'service'
      FROM team t JOIN partner p ON p.team_id = t.id, generate_series(0, 35) m WHERE p.id = '${app.id}' RETURNING id, period
    ), lines AS (
      INSERT INTO payout_line (payout_id, partner_id, amount, carried_before, carried_after, matured_until)
      SELECT id, a, 50000000, 0, 0, period FROM made, unnest(ARRAY['${app.id}', 'prt_second', 'prt_third']) a
    ), items AS (
      INSERT INTO payout_item (payout_id, partner_id, day, model, kind, requests, amount)
      SELECT id, a, period - d, 'provider/model-' || m, 'earned', 20, 1000003 * m
      FROM made, unnest(ARRAY['${app.id}', 'prt_second', 'prt_third']) a, generate_series(1, 31) d, generate_series(1, 40) m
    ) SELECT id FROM made ORDER BY period DESC LIMIT 1`);
  for (const address of [payoutsPage(), `${payoutsPage()}?page=2`, `${payoutsPage()}/${newest?.id}`]) {
    let best = Number.POSITIVE_INFINITY;
    for (let visits = 0; visits < 5 && best >= PAGE_LIMIT_MS / 2; visits++)
      best = Math.min(best, await openInteractive(page, SERVICE + address));
    process.stdout.write(`${String(Math.round(best)).padStart(6)} ms  ${address}\n`);
    expect.soft(best, address).toBeLessThan(PAGE_LIMIT_MS);
  }
  await expectGoodAppearance(page, 'payout-long');
});

test('an owner disconnects the payout account and begins again with another one', async ({ page }) => {
  await signInTo(page, SERVICE, OWNER, payoutsPage());
  const accountId = async () =>
    (await query<{ id: string | null }>('SELECT processor_account_id AS id FROM payout_account'))[0]?.id;
  const before = await accountId();
  await page.getByRole('button', { name: 'Disconnect' }).click();
  await page.getByRole('alertdialog').getByRole('button', { name: 'Disconnect' }).click();
  await expect(page.getByText('Payout account disconnected')).toBeVisible();
  await expect(page.getByText('Closed', { exact: true })).toBeVisible();
  await expectGoodAppearance(page, 'payouts-account-closed');
  await page.getByLabel('Country of your company or home').selectOption('Germany');
  await page.getByRole('button', { name: 'Set up payouts with Stripe' }).click();
  await page.getByRole('button', { name: 'Finish' }).click();
  await expect(page.getByText('Active', { exact: true })).toBeVisible();
  expect(await accountId()).not.toBe(before);
});
