import { expect, it } from 'vitest';
import { readTypedCode } from './typed-code';

it.each([
  ['123 456', 'a space'],
  ['123-456', 'a hyphen'],
  ['123–456', 'a dash'],
  ['\u00a0123\u202f456', 'spaces that do not break'],
  ['１２３４５６', 'full-width digits'],
  ['\u200b123\u200d456\ufeff', 'zero-width characters'],
  ['\u202a123456\u202c', 'a direction'],
  ['\u2066123456\u2069', 'an isolated direction'],
  ['12\u00ad3456\ufe0f', 'a soft hyphen and a variation selector'],
  ['١٢٣٤٥٦', 'Arabic digits'],
  ['۱۲۳۴۵۶', 'Persian digits'],
  ['१२३४५६', 'Devanagari digits'],
  ['𝟭𝟮𝟯𝟰𝟱𝟲', 'mathematical digits'],
  ['𞥑𞥒𞥓𞥔𞥕𞥖', 'Adlam digits'],
])('%j is the code 123456: it contains %s', (typed) => {
  expect(readTypedCode(typed)).toBe('123456');
});

it('leaves letters, so that they are no code', () => {
  expect(readTypedCode('12345a')).toBe('12345a');
});
