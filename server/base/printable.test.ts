import { type Font, openSync } from 'fontkit';
import { expect, test } from 'vitest';
import { FONT_FILES } from '../payments/invoices/pdf-page';
import { findUnprintable } from './printable';

test.each(Object.entries(FONT_FILES))('the font for %s has every character that is accepted', (_, file) => {
  const font = openSync(file) as Font;
  const missing = Array.from({ length: 0xffff }, (_, code) => code)
    .filter((code) => findUnprintable(String.fromCodePoint(code)) === null)
    .filter((code) => !font.hasGlyphForCodePoint(code))
    .map((code) => code.toString(16));
  expect(missing).toEqual([]);
});

test('letters of other scripts are found', () => {
  expect(findUnprintable('Žižkov Łódź Αθήνα Москва')).toBeNull();
  expect(findUnprintable('Firma 株式会社')).toBe('株');
});
