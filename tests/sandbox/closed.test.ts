import { once } from 'node:events';
import { existsSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { request } from 'node:http';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { buildPages, bundleServer } from '../../scripts/steps.mjs';
import { newDatabase } from '../harness';
import { openMailbox } from '../people/identity/mailbox';
import { startInVain } from '../process/start-in-vain';
import { Instance } from '../sim/instances';

/** Real processes: what a start refuses, what it prints, and what is reachable once the sandboxes are closed. */

const { url: databaseUrl } = await newDatabase();
await openMailbox();
const folder = mkdtempSync(path.join(tmpdir(), 'closed-'));
const environment = {
  NODE_ENV: 'production' as const,
  AUTH_SECRET: 'a secret of the tests, long enough to be one',
  DATABASE_URL: databaseUrl,
  KEEP_LOG: 'true',
};
const STRIPE = {
  STRIPE_SECRET_KEY: 'sk_test_x',
  STRIPE_PUBLISHABLE_KEY: 'pk_test_x',
  STRIPE_WEBHOOK_SECRET: 'whsec_x',
};

beforeAll(async () => {
  await buildPages();
  await bundleServer();
}, 300_000);

afterAll(() => rmSync(folder, { recursive: true }));

async function refusalOf(given: Record<string, string>): Promise<string> {
  const dataDir = path.join(folder, 'unused');
  const { code, text } = await startInVain({ DATA_DIR: dataDir, ...given });
  expect([code, existsSync(dataDir)]).toEqual([1, false]);
  return text;
}

/** With a Host header, which `fetch` does not allow. */
async function get(server: Instance, where: string, host: string) {
  const { port } = new URL(server.url);
  const asked = request({ host: '127.0.0.1', port, path: where, headers: { host } }).end();
  const [response] = await once(asked, 'response');
  let body = '';
  for await (const part of response) body += part;
  return { status: response.statusCode as number, body };
}

describe('a start without mail or payments is refused, and says both ways out, next to @attack', () => {
  const catalogFile = path.join(folder, 'catalog.json');
  writeFileSync(
    catalogFile,
    JSON.stringify({
      providers: {
        acme: { format: 'openai', baseUrl: 'https://llm.acme.example/v1', keyVariable: 'ACME_KEY' },
      },
    }),
  );

  test.each([
    ['a provider key', { OPENAI_API_KEY: 'sk-real' }, 'OPENAI_API_KEY'],
    ['the key of an own provider', { CATALOG_FILE: catalogFile, ACME_KEY: 'real' }, 'ACME_KEY'],
    [
      'an address that others can reach',
      { HOST: '0.0.0.0', BASE_URL: 'https://a.example' },
      'BASE_URL, HOST',
    ],
  ])('%s', async (_, given, because) => {
    const text = await refusalOf(given);
    expect(text).toContain(`The sandboxes are closed because of ${because}, so the service needs:`);
    expect(text).toContain('SMTP_URL, to mail sign-in codes');
    expect(text).toContain('STRIPE_SECRET_KEY, to take payments');
    expect(text).toContain('SANDBOX=open');
  });

  test('a mail server, if only payments are missing', async () => {
    const text = await refusalOf({ SMTP_URL: 'smtp://mail.example.com' });
    expect(text).toContain('because of SMTP_URL');
    expect(text).not.toContain('to mail sign-in codes');
  });
});

test('without credentials the sandboxes are open, to this machine only @attack', async () => {
  const server = await Instance.start(folder, environment);
  try {
    expect(server.log).toContain('Sandboxes: model provider, payments, mail.\n');
    for (const host of ['localhost', '127.0.0.1:3000', 'demo.localhost:3000'])
      expect((await get(server, '/dev/mail/messages', host)).status).toBe(
        host.startsWith('demo.') ? 404 : 200,
      );
    for (const host of ['evil.example', 'abc.tunnel.example', 'localhost.evil.example'])
      expect((await get(server, '/dev/mail/messages', host)).status).toBe(404);
  } finally {
    await server.stop();
  }
}, 120_000);

test('next to a real key, no sandbox is reachable @attack', async () => {
  const real = { ...environment, ...STRIPE, SMTP_URL: process.env.SMTP_URL ?? '', OPENAI_API_KEY: 'sk-real' };
  const server = await Instance.start(folder, real);
  try {
    expect(server.log).toContain('Sandboxes: closed.\nSTRIPE_SECRET_KEY is a test key');
    for (const where of ['/dev/mail', '/dev/mail/messages?to=op@example.com', '/demo'])
      expect((await get(server, where, 'localhost')).status).toBe(404);
    const { data } = (await (await fetch(`${server.url}/v1/models`)).json()) as { data: { id: string }[] };
    expect(data.some(({ id }) => id.startsWith('openai/'))).toBe(true);
    expect(data.filter(({ id }) => id.startsWith('sandbox'))).toEqual([]);
  } finally {
    await server.stop();
  }
}, 120_000);
