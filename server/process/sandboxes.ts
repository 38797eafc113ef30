import { randomBytes } from 'node:crypto';
import path from 'node:path';
import { startSandboxMail } from '../../sandbox/mail/server';
import { startSandboxPayments } from '../../sandbox/payments/server';
import { startSandboxProvider } from '../../sandbox/provider/server';
import { readSecret, readSettings, type Settings } from '../base/env';
import { findRealSettings, isRealUrl } from '../base/open-sandboxes';
import type { OwnProvider } from '../gateway/pricing/catalog-schema';
import { openDataDir, readOptional, writePrivate } from './data-dir';
import type { Lifetime } from './lifetime';
import { choosePort } from './listen';
import { openSandboxStore } from './sandbox-store';
import { StartError } from './start-error';

/**
 * Decides for this process whether sandboxes replace what is missing, and refuses a start in which nothing
 * replaces it. The operator's own providers come from the catalogue file.
 */
export function decideSandboxes(ownProviders: OwnProvider[]): Settings {
  const ownKeys = ownProviders.flatMap(({ keyVariable: key, baseUrl }) =>
    key !== undefined && readSecret(key) !== undefined && isRealUrl(baseUrl) ? [key] : [],
  );
  if (ownKeys.length > 0) process.env.SANDBOX ||= 'closed';
  const decided = readSettings(process.env);
  process.env.SANDBOX = decided.SANDBOX;
  if (decided.SANDBOX === 'closed')
    requireNothingMissing(decided, [...findRealSettings(decided), ...ownKeys]);
  return decided;
}

function requireNothingMissing({ SMTP_URL, STRIPE_SECRET_KEY }: Settings, real: string[]): void {
  const missing = [
    ...(SMTP_URL === undefined ? ['SMTP_URL, to mail sign-in codes'] : []),
    ...(STRIPE_SECRET_KEY === undefined ? ['STRIPE_SECRET_KEY, to take payments'] : []),
  ];
  if (missing.length === 0) return;
  const because = real.length === 0 ? 'SANDBOX is closed' : `of ${real.join(', ')}`;
  throw new StartError(
    `The sandboxes are closed because ${because}, so the service needs:\n` +
      `${missing.map((line) => `  ${line}\n`).join('')}` +
      'Set what is missing. Or keep the sandboxes with SANDBOX=open: anyone who can reach the service can then\n' +
      'read its mail at /dev/mail, including sign-in codes, and buy credits with test cards.',
  );
}

/** Starts a sandbox for every external service that has no credentials configured. */
export async function startSandboxes(life: Lifetime, given: Settings, databaseUrl: string): Promise<void> {
  if (given.SANDBOX === 'closed') return;
  await provideProvider(life);
  if (given.SMTP_URL === undefined) await provideMail(life);
  if (given.STRIPE_SECRET_KEY === undefined) await providePayments(life, given, databaseUrl);
}

async function provideProvider(life: Lifetime): Promise<void> {
  const provider = await startSandboxProvider();
  life.onStop('sandbox provider', provider.close);
  process.env.SANDBOX_PROVIDER_URL = provider.url;
}

async function provideMail(life: Lifetime): Promise<void> {
  const mail = await startSandboxMail();
  life.onStop('sandbox mail', mail.close);
  process.env.SMTP_URL = mail.smtpUrl;
  process.env.SANDBOX_MAIL_URL = mail.httpUrl;
}

async function providePayments(life: Lifetime, given: Settings, databaseUrl: string): Promise<void> {
  const { secretKey, webhookSecret, connectWebhookSecret, port } = await keepPaymentFacts(
    openDataDir(given.DATA_DIR),
  );
  const store = openSandboxStore(databaseUrl);
  life.onStop('sandbox store', store.close);
  const webhookUrl = `http://${reachableHost(given.HOST)}:${given.PORT}/api/stripe`;
  const payments = await startSandboxPayments({
    port,
    secretKey,
    webhookUrl,
    store,
    webhookSecret,
    connectWebhookSecret,
  });
  life.onStop('sandbox payments', payments.close);
  Object.assign(process.env, {
    STRIPE_API_BASE: payments.url,
    STRIPE_SECRET_KEY: secretKey,
    STRIPE_PUBLISHABLE_KEY: 'pk_test_sandbox',
    STRIPE_WEBHOOK_SECRET: webhookSecret,
    STRIPE_CONNECT_WEBHOOK_SECRET: connectWebhookSecret,
  });
}

type PaymentFacts = {
  secretKey: string;
  webhookSecret: string;
  connectWebhookSecret: string;
  port: number;
};

/** The same keys and port at every start, so that an open payment page survives a restart. */
async function keepPaymentFacts(dataDir: string): Promise<PaymentFacts> {
  const file = path.join(dataDir, 'sandbox-payments.json');
  const kept = JSON.parse(readOptional(file) ?? 'null') as PaymentFacts | null;
  const random = (): string => randomBytes(18).toString('hex');
  const facts: PaymentFacts = {
    secretKey: kept?.secretKey ?? `sk_test_${random()}`,
    webhookSecret: kept?.webhookSecret ?? `whsec_${random()}`,
    connectWebhookSecret: kept?.connectWebhookSecret ?? `whsec_${random()}`,
    port: await choosePort(kept?.port),
  };
  writePrivate(file, JSON.stringify(facts));
  return facts;
}

function reachableHost(host: string): string {
  if (host === '0.0.0.0' || host === '::') return '127.0.0.1';
  return host.includes(':') ? `[${host}]` : host;
}
