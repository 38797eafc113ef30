import { beforeEach, expect, test, vi } from 'vitest';
import { startSandboxMail } from '@/sandbox/mail/server';
import { fingerprintOf } from '@/server/base/keyed-hash';
import { newDatabase } from '../harness';
import { addressOn, withClient } from '../harness/database-connection';

const { url } = await newDatabase();
const environment = { ...process.env };

beforeEach(() => {
  vi.resetModules();
  for (const name of Object.keys(process.env)) if (!(name in environment)) delete process.env[name];
  Object.assign(process.env, environment);
});

async function check(given: Record<string, string>): Promise<{ code: number; text: string }> {
  Object.assign(process.env, given);
  // The settings are read once by each copy of the code.
  const { runCommand } = await import('@/server/operator/cli/run');
  let text = '';
  const write = (more: string): void => {
    text += more;
  };
  return { code: await runCommand(['config', 'check'], { out: write, err: write }), text };
}

test('good settings, and what they name, are ok', async () => {
  const mail = await startSandboxMail();
  const { code, text } = await check({ SMTP_URL: mail.smtpUrl });
  await mail.close();
  expect(text).toMatch(/^ok +Settings +Valid\. The sandboxes are open\.$/m);
  expect(text).toMatch(/^ok +Database +It responds, and its schema is up to date\.$/m);
  expect(text).toMatch(/^ok +Mail +It responds/m);
  expect(text).toMatch(/^unset +Redis /m);
  expect(text).toMatch(/^unset +Stripe /m);
  expect(code).toBe(0);
});

test('what does not answer, is missing or is misspelt is wrong, and all of it is listed', async () => {
  const { code, text } = await check({
    SMTP_URL: 'smtp://127.0.0.1:1',
    REDIS_URL: 'redis://127.0.0.1:1',
    DATABASE_URL: addressOn(url, 'none'),
    BASE_URI: 'https://pay.example.com',
  });
  expect(text).toMatch(/^wrong +Names +BASE_URI is not a setting\. Did you mean BASE_URL\?$/m);
  expect(text).toMatch(/^wrong +Database +DATABASE_URL: this database does not exist/m);
  for (const name of ['Redis', 'Mail'])
    expect(text).toMatch(new RegExp(`^wrong +${name} .*ECONNREFUSED`, 'm'));
  expect(code).toBe(1);
});

test('settings that contradict each other are wrong', async () => {
  const { code, text } = await check({
    NODE_ENV: 'production',
    AUTH_SECRET: '',
    MINIMUM_PURCHASE: '9',
    MAXIMUM_PURCHASE: '5',
  });
  expect(text).toMatch(/^wrong +Settings +AUTH_SECRET: expected at least 32 random characters/m);
  expect(text).toMatch(/^wrong +Settings +MINIMUM_PURCHASE: expected at most MAXIMUM_PURCHASE$/m);
  expect(code).toBe(1);
});

test('a live key without mail is wrong', async () => {
  const stripe = {
    STRIPE_SECRET_KEY: 'sk_live_x',
    STRIPE_PUBLISHABLE_KEY: 'pk_live_x',
    STRIPE_WEBHOOK_SECRET: 'whsec_x',
  };
  const { code, text } = await check({ ...stripe, BASE_URL: 'https://pay.example.com' });
  expect(text).toMatch(
    /^wrong +Settings +The sandboxes are closed because of STRIPE_SECRET_KEY.*SMTP_URL, to mail/m,
  );
  expect(code).toBe(1);
});

test('a secret that is not the one of the database is wrong', async () => {
  await withClient(url, (client) =>
    client.query('INSERT INTO installation (secret) VALUES ($1)', [fingerprintOf('another secret')]),
  );
  const { code, text } = await check({});
  expect(text).toMatch(/^wrong +Database +AUTH_SECRET: expected the secret of this database/m);
  expect(code).toBe(1);
});
