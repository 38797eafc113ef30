import { Redis } from 'ioredis';
import { closeDatabase } from '../../base/db';
import { readSettings, type Settings, SettingsError, settings } from '../../base/env';
import { describeError } from '../../base/log';
import { checkMailServer } from '../../base/mail';
import { buildCatalog } from '../../gateway/pricing/catalog';
import { servedModels } from '../../gateway/pricing/served';
import { checkSetup } from '../../payments/checkout/check-setup';
import { requireUsableDatabase } from '../../process/check-database';
import { explainDatabaseError } from '../../process/explain-database-error';
import { isMigrated } from '../../process/migrate';
import { describeMisspelt, findMisspelt } from '../../process/misspelt-settings';
import { requireOwnSecret } from '../../process/own-secret';
import { decideSandboxes } from '../../process/sandboxes';
import { readSettingFiles } from '../../process/setting-files';
import { StartError } from '../../process/start-error';
import type { Command, Outcome } from './command';
import { alignColumns } from './output';

export const configCommands: Readonly<Record<string, Command>> = {
  'config check': {
    usage: 'config check',
    summary: 'check the settings and everything that they name: database, Redis, mail server, Stripe',
    needs: 'nothing',
    run: check,
  },
};

type Finding = { name: string; state: 'ok' | 'wrong' | 'unset'; found: string };

/** Reads only: no table is created and no mail is sent. */
async function check(): Promise<Outcome> {
  // As the service runs: more is required of it.
  Object.assign(process.env, { NODE_ENV: process.env.NODE_ENV || 'production' });
  const findings = [...checkNames(), ...(await checkValues())];
  return {
    json: findings,
    text: alignColumns(findings.map(({ state, name, found }) => [state, name, found.replaceAll('\n', ' ')])),
    hasProblem: findings.some(({ state }) => state === 'wrong'),
  };
}

function checkNames(): Finding[] {
  return findMisspelt(process.env, ownKeys()).map((misspelt) => ({
    name: 'Names',
    state: 'wrong' as const,
    found: describeMisspelt(misspelt),
  }));
}

/** The variables that the operator's own providers take their keys from. */
function ownKeys(): string[] {
  try {
    const { providers } = buildCatalog(process.env.CATALOG_FILE || undefined);
    return Object.values(providers).flatMap(({ keyVariable }) => keyVariable ?? []);
  } catch {
    // `checkValues` reports it.
    return [];
  }
}

async function checkValues(): Promise<Finding[]> {
  let given: Settings;
  try {
    readSettingFiles(process.env, ownKeys());
    given = readSettings(process.env);
    decideSandboxes(Object.values(buildCatalog(given.CATALOG_FILE).providers));
  } catch (error) {
    return reasonsOf(error).map((found) => ({ name: 'Settings', state: 'wrong', found }));
  }
  const providers = [...new Set(servedModels().map(({ provider }) => provider))].join(', ');
  return [
    { name: 'Settings', state: 'ok', found: `Valid. The sandboxes are ${settings().SANDBOX}.` },
    await tryOut('Database', given.DATABASE_URL, 'The embedded database is used.', checkDatabase),
    await tryOut('Redis', given.REDIS_URL, 'Each instance counts on its own.', checkRedis),
    await tryOut('Mail', given.SMTP_URL, 'Mail is caught and shown at /dev/mail.', checkMail),
    await tryOut('Stripe', given.STRIPE_SECRET_KEY, 'The payment sandbox is used.', checkStripe),
    {
      name: 'Providers',
      state: providers === '' ? 'unset' : 'ok',
      found: providers || 'Only the sandbox is used.',
    },
  ];
}

const reasonsOf = (error: unknown): string[] =>
  error instanceof SettingsError ? error.message.split('\n') : [reasonOf(error)];

function reasonOf(error: unknown): string {
  if (error instanceof StartError) return error.message;
  return explainDatabaseError(error) ?? describeError(error);
}

async function tryOut(
  name: string,
  url: string | undefined,
  without: string,
  work: (url: string) => Promise<string>,
): Promise<Finding> {
  if (url === undefined) return { name, state: 'unset', found: without };
  try {
    return { name, state: 'ok', found: await work(url) };
  } catch (error) {
    return { name, state: 'wrong', found: reasonOf(error) };
  }
}

async function checkDatabase(databaseUrl: string): Promise<string> {
  await requireUsableDatabase(databaseUrl);
  if (!(await isMigrated(databaseUrl))) return 'It responds, and the next start updates its schema.';
  if (settings().AUTH_SECRET !== undefined) await requireOwnSecret(databaseUrl);
  return 'It responds, and its schema is up to date.';
}

async function checkMail(): Promise<string> {
  await checkMailServer();
  return 'It responds, and accepts the sign-in of SMTP_URL.';
}

async function checkRedis(url: string): Promise<string> {
  const redis = new Redis(url, { lazyConnect: true, connectTimeout: 5_000, retryStrategy: () => null });
  let reason: unknown;
  redis.on('error', (error) => {
    reason = error;
  });
  try {
    await redis.connect();
    await redis.ping();
    return 'It responds.';
  } catch (error) {
    // The command itself only says that the connection was closed.
    throw reason ?? error;
  } finally {
    redis.disconnect();
  }
}

async function checkStripe(): Promise<string> {
  try {
    const wrong = (await checkSetup()).filter(({ state }) => state === 'wrong');
    if (wrong.length > 0) throw new StartError(wrong.map(({ name, found }) => `${name}: ${found}`).join(' '));
    return 'The account is set up. Details: npm run svc -- stripe check';
  } finally {
    await closeDatabase();
  }
}
