import { readFileSync } from 'node:fs';
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
