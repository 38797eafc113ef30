import { createHash } from 'node:crypto';
import { mkdtempSync, readFileSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { buildAll } from '../../scripts/steps.mjs';
import { newDatabase } from '../harness';
import { Instance } from '../sim/instances';

/** The widget finds the checkout of each installation, although all of them run the same build. */

const CHECKOUT_URL = 'https://checkout.example/pay';

const { url: databaseUrl } = await newDatabase();
const folder = mkdtempSync(path.join(tmpdir(), 'checkout-address-'));
let plain: Instance;
let elsewhere: Instance;

beforeAll(async () => {
  await buildAll();
  const environment = {
    NODE_ENV: 'production' as const,
    LOG_LEVEL: 'warn',
    AUTH_SECRET: process.env.AUTH_SECRET ?? '',
    DATABASE_URL: databaseUrl,
    SANDBOX: 'open',
  };
  [plain, elsewhere] = await Promise.all([
    Instance.start(path.join(folder, 'plain'), environment),
    Instance.start(path.join(folder, 'elsewhere'), { ...environment, CHECKOUT_URL }),
  ]);
}, 300_000);

afterAll(async () => {
  await Promise.all([plain?.stop(), elsewhere?.stop()]);
  rmSync(folder, { recursive: true });
});

type About = { path: string; integrity: string };
const read = async (instance: Instance, place: string) => {
  const response = await fetch(`${instance.url}${place}`);
  const { 'content-type': type, 'cache-control': caching } = Object.fromEntries(response.headers);
  return { status: response.status, type, caching, text: await response.text() };
};
const readAbout = async (instance: Instance) =>
  JSON.parse((await read(instance, '/v1/svc.json')).text) as About;
const hashOf = (text: string) => `sha384-${createHash('sha384').update(text).digest('base64')}`;

test('by default the script is the one that was built, and finds the checkout on its own host', async () => {
  const built = readFileSync('public/v1/svc.js', 'utf8');
  const { path: pinned, integrity } = await readAbout(plain);
  for (const place of ['/v1/svc.js', pinned]) expect((await read(plain, place)).text).toBe(built);
  expect(integrity).toBe(hashOf(built));
});

test('with CHECKOUT_URL, the script contains that address, and svc.json its hash', async () => {
  const built = readFileSync('public/v1/svc.js', 'utf8');
  const { path: pinned, integrity } = await readAbout(elsewhere);
  for (const place of ['/v1/svc.js', pinned]) {
    const [served, asBuilt] = [await read(elsewhere, place), await read(plain, place)];
    expect(served.text).toContain(`return"${CHECKOUT_URL}"`);
    expect(served.text.replaceAll(CHECKOUT_URL, '__SVC_CHECKOUT_URL__')).toBe(built);
    expect(integrity).toBe(hashOf(served.text));
    expect({ ...served, text: '' }).toEqual({ ...asBuilt, text: '' });
  }
});
