import { readFileSync } from 'node:fs';
import { availableParallelism } from 'node:os';
import { expect, test } from 'vitest';
import { INTERNAL_SETTINGS, readSettings, SettingsError, settingsSchema } from './env';

const example = readFileSync('.env.example', 'utf8');
const documented = [...example.matchAll(/^# ([A-Z][A-Z_]+)=(.*)$/gm)].map(([, name = '', value = '']) => ({
  name,
  value,
}));

test('.env.example names every setting, and nothing else', () => {
  const internal: readonly string[] = INTERNAL_SETTINGS;
  const names = Object.keys(settingsSchema.shape).filter((name) => !internal.includes(name));
  expect(documented.map(({ name }) => name).sort()).toEqual(names.sort());
});

test('.env.example shows the default of every setting', () => {
  const shown = readSettings(Object.fromEntries(documented.map(({ name, value }) => [name, value])));
  expect(shown).toEqual(readSettings({}));
  expect(documented.filter(({ value }) => value !== '').length).toBeGreaterThan(10);
});

test('an invalid value is refused with the name of its setting', () => {
  expect(() => readSettings({ PORT: 'eighty' })).toThrow(SettingsError);
  expect(() => readSettings({ PORT: 'eighty' })).toThrow(/^PORT: expected a port number/);
  expect(() => readSettings({ TRUSTED_PROXIES: 'nginx' })).toThrow(
    /^TRUSTED_PROXIES: expected comma-separated IP addresses/,
  );
});

const LIVE = {
  STRIPE_SECRET_KEY: 'sk_live_x',
  STRIPE_PUBLISHABLE_KEY: 'pk_live_x',
  STRIPE_WEBHOOK_SECRET: 'whsec_x',
  BASE_URL: 'https://pay.example.com',
};
const TEST = { ...LIVE, STRIPE_SECRET_KEY: 'rk_test_x', STRIPE_PUBLISHABLE_KEY: 'pk_test_x' };

test('Stripe keys of two modes are refused @attack', () => {
  expect(readSettings(LIVE).STRIPE_SECRET_KEY).toBe('sk_live_x');
  expect(readSettings(TEST).STRIPE_SECRET_KEY).toBe('rk_test_x');
  expect(() => readSettings({ ...LIVE, STRIPE_PUBLISHABLE_KEY: 'pk_test_x' })).toThrow(
    /^STRIPE_PUBLISHABLE_KEY: expected a live key \(pk_live_…\), because STRIPE_SECRET_KEY is a live key$/,
  );
  expect(() => readSettings({ ...TEST, STRIPE_PUBLISHABLE_KEY: 'pk_live_x' })).toThrow(
    /^STRIPE_PUBLISHABLE_KEY: expected a test key \(pk_test_…\), because STRIPE_SECRET_KEY is a test key$/,
  );
});

test('a live Stripe key needs https addresses @attack', () => {
  const because = 'expected an https:// address, because STRIPE_SECRET_KEY is a live key';
  const refused = (changes: Record<string, string>) => {
    try {
      readSettings({ ...LIVE, ...changes });
      return 'accepted';
    } catch (error) {
      return (error as Error).message;
    }
  };
  expect(refused({})).toBe('accepted');
  expect(refused({ CHECKOUT_URL: 'https://checkout.example.com' })).toBe('accepted');
  expect(refused({ BASE_URL: '' })).toBe(`BASE_URL: ${because}`);
  expect(refused({ BASE_URL: 'http://pay.example.com' })).toBe(`BASE_URL: ${because}`);
  expect(refused({ CHECKOUT_URL: 'http://checkout.example.com' })).toBe(`CHECKOUT_URL: ${because}`);
  expect(readSettings({ ...TEST, BASE_URL: 'http://localhost:3000' }).BASE_URL).toBe('http://localhost:3000');
});

test('a seller whom invoices cannot show is refused', () => {
  const seller = { SELLER_NAME: 'Łódź Σία Ромашка', SELLER_ADDRESS: 'Ring 1, 1010 Wien' };
  expect(readSettings(seller).SELLER_ADDRESS).toEqual(['Ring 1', '1010 Wien']);
  // Decomposed, as some keyboards write it.
  expect(readSettings({ ...seller, SELLER_NAME: 'Mu\u0308ller' }).SELLER_NAME).toBe('Müller');
  for (const name of ['SELLER_NAME', 'SELLER_ADDRESS', 'SELLER_TAX_ID', 'BRAND_NAME'])
    expect(() => readSettings({ ...seller, [name]: '株式会社' })).toThrow(
      `${name}: expected Latin, Greek or Cyrillic letters, because invoices cannot show “株”`,
    );
  expect(readSettings({ BRAND_NAME: '株式会社' }).BRAND_NAME).toBe('株式会社');
});

test('a previous secret needs another one that replaces it', () => {
  const [first, second] = ['a'.repeat(32), 'b'.repeat(32)];
  expect(readSettings({ AUTH_SECRET: second, AUTH_SECRET_PREVIOUS: first }).AUTH_SECRET).toBe(second);
  expect(() => readSettings({ AUTH_SECRET: first, AUTH_SECRET_PREVIOUS: first })).toThrow(
    'AUTH_SECRET_PREVIOUS: expected a secret other than AUTH_SECRET',
  );
  expect(() => readSettings({ AUTH_SECRET_PREVIOUS: first })).toThrow(
    'AUTH_SECRET_PREVIOUS: expected to be unset, because AUTH_SECRET is unset',
  );
});

test('a database connection that asks for TLS verifies the certificate, unless psql or the setting says otherwise', () => {
  const read = (query: string) =>
    readSettings({ DATABASE_URL: `postgres://a@b/c?${query}` }).DATABASE_URL?.split('?')[1];
  expect(read('sslmode=require')).toBe('sslmode=verify-full');
  expect(read('application_name=x&sslmode=verify-ca&sslrootcert=f')).toBe(
    'application_name=x&sslmode=verify-full&sslrootcert=f',
  );
  for (const same of ['sslmode=disable', 'sslmode=no-verify', 'uselibpqcompat=true&sslmode=require'])
    expect(read(same)).toBe(same);
});

test('one provider may take four fifths of a process, unless it is set', () => {
  expect(readSettings({ LIMIT_RUNNING_PER_PROCESS: '100' }).LIMIT_RUNNING_PER_PROVIDER).toBe(80);
  expect(readSettings({ LIMIT_RUNNING_PER_PROVIDER: '1000' }).LIMIT_RUNNING_PER_PROVIDER).toBe(1000);
});

test.each(['0', '-1', '1.5', 'many', '65', '10000'])('INSTANCES=%s is refused @attack', (given) => {
  expect(() => readSettings({ INSTANCES: given })).toThrow(
    /^INSTANCES: expected a whole number from 1 to 64, or auto$/,
  );
});

test('INSTANCES=auto is one for each core, and the default is one', () => {
  expect(readSettings({ INSTANCES: 'auto' }).INSTANCES).toBe(Math.min(64, availableParallelism()));
  expect(readSettings({}).INSTANCES).toBe(1);
});

test('the connections of all instances together have room for ten of each', () => {
  const connections = (environment: Record<string, string>) => readSettings(environment).DATABASE_CONNECTIONS;
  expect(connections({ INSTANCES: '3' })).toBe(34);
  expect(connections({ INSTANCES: '8' })).toBe(80);
  expect(connections({ INSTANCES: '8', DATABASE_CONNECTIONS: '100' })).toBe(100);
  expect(() => connections({ INSTANCES: '8', DATABASE_CONNECTIONS: '79' })).toThrow(
    'DATABASE_CONNECTIONS: expected at least 80, because INSTANCES is 8',
  );
});
