import { Channel } from '../base/channel';
import { SECOND_MS } from '../base/clock';
import { closeDatabase } from '../base/db';
import { isLive, readSettings, settings } from '../base/env';
import { watchConnections } from '../base/measures';
import { describeSandboxes } from '../base/open-sandboxes';
import { askPrimary, primaryEnd } from '../base/primary';
import { closeRedis } from '../base/rate-limit/redis';
import { buildCatalog } from '../gateway/pricing/catalog';
import { syncCatalog } from '../gateway/pricing/sync-catalog';
import { cutOffRunning } from '../gateway/run/cut-off';
import { cutOffWaiting } from '../gateway/run/respond-once';
import { warmLedger } from '../ledger';
import { describeMissingSeller } from '../payments/invoices/seller';
import { startBackgroundWork } from './background';
import { checkPaymentSetup } from './check-payment-setup';
import { drain } from './drain';
import {
  provideAddressToNextAuth,
  provideAuthSecret,
  provideDatabase,
  readGivenSettings,
  updateDatabase,
} from './environment';
import { finishGenerations } from './finish-generations';
import { checkOwnReadiness, describeInstance, noteStopping } from './health/readiness';
import { createHttpServer } from './http-server';
import { keepInstances, startInstances } from './instances';
import { explain, type Lifetime } from './lifetime';
import { listen, requireFreePort } from './listen';
import { readProcessValues } from './metrics/metrics';
import { describeMisspelt, findMisspelt } from './misspelt-settings';
import { claimSecret } from './own-secret';
import { withProgress } from './progress';
import { decideSandboxes, startSandboxes } from './sandboxes';
import { demoOrigin, seedDemo } from './seed-demo';
import { readSettingFiles } from './setting-files';
import { showMessage } from './show-message';
import { readMigrations } from './sql-files';
import { startTelemetry } from './telemetry';

/** Everything between `npm start` and the printed URLs. */
export async function startService(life: Lifetime, options: { dev: boolean }): Promise<void> {
  await provideRest(life);
  const isAlone = options.dev || settings().INSTANCES === 1;
  if (isAlone) await serveRequests(life, options);
  else await startInstances(life);
  printAddresses();
  checkPaymentSetup();
  if (!isAlone) await keepInstances(life);
}

/** One of several instances, in the environment of their primary. */
export async function startInstance(life: Lifetime): Promise<void> {
  const answers: Record<string, () => unknown> = {
    readiness: checkOwnReadiness,
    metrics: readProcessValues,
    stop: () => life.requestStop(),
  };
  new Channel(primaryEnd(), (question) => answers[question]?.());
  try {
    await serveRequests(life, { dev: false });
    await askPrimary('ready');
  } catch (error) {
    if (!life.isStopping) await askPrimary('failed', explain(error));
    throw error;
  }
}

/** Puts what is not set into the environment, and starts it. The settings are final from then on. */
async function provideRest(life: Lifetime): Promise<void> {
  const read = await readGivenSettings();
  const { providers } = buildCatalog(read.CATALOG_FILE);
  const ownKeys = Object.values(providers).flatMap(({ keyVariable }) => keyVariable ?? []);
  readSettingFiles(process.env, ownKeys);
  for (const misspelt of findMisspelt(process.env, ownKeys))
    showMessage(`warning: ${describeMisspelt(misspelt)}\n`);
  const given = decideSandboxes(Object.values(providers));
  provideAuthSecret(given);
  provideAddressToNextAuth(given);
  const embedded = await provideDatabase(given);
  if (embedded) life.onStop('database', embedded.stop, embedded.abandon);
  await requireFreePort(given.PORT, given.HOST);
  life.goOn();
  const databaseUrl = await withProgress('Updating the database schema', () =>
    updateDatabase(given, embedded),
  );
  life.goOn();
  await claimSecret(databaseUrl, readSettings(process.env));
  await startSandboxes(life, given, databaseUrl);
  life.goOn();
}

async function serveRequests(life: Lifetime, options: { dev: boolean }): Promise<void> {
  life.onStop('database connections', closeDatabase);
  life.onStop('redis', closeRedis);
  await startTelemetry(life);
  await syncCatalog();
  await warmLedger();
  if (!isLive()) await seedDemo();
  startBackgroundWork(life);
  life.onStop('generations', () => finishGenerations());
  describeInstance({
    migrations: readMigrations().map(({ name }) => name),
    dataDir: settings().EMBEDDED_DATA_DIR ?? null,
  });
  await serve(life, options);
}

async function serve(life: Lifetime, options: { dev: boolean }): Promise<void> {
  const { HOST, PORT, DRAIN_SECONDS, SHUTDOWN_DELAY_SECONDS } = settings();
  const { server, connections } = await withProgress('Preparing the pages', () =>
    createHttpServer(life, { ...options, host: HOST, port: PORT }),
  );
  life.goOn();
  watchConnections(connections);
  await listen(server, PORT, HOST);
  life.onStop('requests', () => {
    noteStopping();
    return drain(server, connections, {
      delayMs: SHUTDOWN_DELAY_SECONDS * SECOND_MS,
      timeoutMs: DRAIN_SECONDS * SECOND_MS,
      cutOff: () => cutOffRunning() + cutOffWaiting(),
    });
  });
}

function printAddresses(): void {
  const { BASE_URL, SMTP_URL, SANDBOX_MAIL_URL } = settings();
  const lines = [
    ['Checkout site', BASE_URL],
    ['Demo app', isLive() ? undefined : demoOrigin()],
    ['Caught mail', SANDBOX_MAIL_URL && SMTP_URL ? `${BASE_URL}/dev/mail` : undefined],
    ['API', `${BASE_URL}/v1`],
  ].filter(([, address]) => address !== undefined);
  const text = lines.map(([title, address]) => `  ${title?.padEnd(14)} ${address}`).join('\n');
  const { open, warning } = describeSandboxes(settings());
  const sandboxes = `Sandboxes: ${open.join(', ') || 'closed'}.${warning === null ? '' : `\n${warning}.`}`;
  const invoices = describeMissingSeller();
  const notes = invoices === null ? sandboxes : `${sandboxes}\n${invoices}`;
  showMessage(`\nReady. Open:\n\n${text}\n\n${notes}\n\nPress Ctrl-C to stop everything.\n\n`);
}
