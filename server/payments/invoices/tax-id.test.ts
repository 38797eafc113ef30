import { expect, test } from 'vitest';
import { isCountry, listCountries } from './countries';
import { isVatId, readTaxId } from './tax-id';

test.each([
  ['AT', 'atu 13585627', 'ATU13585627'],
  ['DE', '136695976', 'DE136695976'],
  ['GR', '094259216', 'EL094259216'],
  ['GB', 'XI 980780684', 'XI980780684'],
  ['CH', 'CHE107787577IVA', 'CHE-107.787.577 IVA'],
  ['CH', 'che 107.787.577 mwst', 'CHE-107.787.577 MWST'],
  ['CH', 'CHE-107.787.577', 'CHE-107.787.577'],
  ['DE', 'ＤＥ１３６６９５９７６', 'DE136695976'],
  ['DE', '\u200bDE136\u00ad695\u2060976\ufeff', 'DE136695976'],
  ['AT', '\u202aATU13585627\u202c', 'ATU13585627'],
  ['US', '123456789', '12-3456789'],
  ['US', 'DE136695976', 'DE136695976'],
  ['JP', 'T1234567890123', 'T1234567890123'],
])('in %s, %s is the tax id %s', async (country, given, taxId) => {
  expect(await readTaxId(country, given)).toEqual({ ok: true, taxId });
});

test.each([
  ['DE', 'DE136695977'],
  ['AT', '12'],
  ['CH', 'CHE-107.787.578'],
  ['DE', 'DЕ136695976'],
  ['JP', '株'],
  ['NL', 'NL'],
  ['NL', '-'],
])('in %s, %s is refused', async (country, given) => {
  expect(await readTaxId(country, given)).toMatchObject({ ok: false });
});

test('VAT ids are recognised by their form', () => {
  expect(['ATU13585627', 'EL094259216', 'CHE-107.787.577 IVA', '12-3456789'].map(isVatId)).toEqual([
    true,
    true,
    true,
    false,
  ]);
});

test('the countries are those of postal addresses', () => {
  expect(['AT', 'GB', 'US', 'XK'].every(isCountry)).toBe(true);
  expect(['UK', 'EU', 'DD', 'ZZ', 'SU'].some(isCountry)).toBe(false);
  expect(listCountries().length).toBeGreaterThan(240);
});
