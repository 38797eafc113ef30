import { describe, expect, test } from 'vitest';
import { isPdf, isUnambiguous, requireImage, requirePublicUrl, sniffImageType } from './media';

const base64 = (text: string): string => Buffer.from(text, 'latin1').toString('base64');

/** The beginnings of real files; the size in a WebP may be anything. */
test.each([
  ['image/png', '\x89PNG\r\n\x1a\n\0\0\0\rIHDR'],
  ['image/jpeg', '\xff\xd8\xff\xe0\0\x10JFIF'],
  ['image/jpeg', '\xff\xd8\xff\xe1\0\x10Exif'],
  ['image/gif', 'GIF89a\x01\0\x01\0'],
  ['image/webp', 'RIFF\x24\0\0\0WEBPVP8 '],
  ['image/webp', 'RIFF\xff\xfe\x7d\x01WEBPVP8X'],
  [null, 'RIFF\x24\0\0\0WAVEfmt '],
  [null, '%PDF-1.7'],
  [null, 'PK\x03\x04'],
  [null, '\0\0\0\x20ftypisom'],
])('recognises %s by its first bytes', (type, bytes) => {
  expect(sniffImageType(base64(bytes))).toBe(type);
});

test('a PDF has its header in the first kilobyte', () => {
  expect(isPdf(base64('%PDF-1.7\n'))).toBe(true);
  expect(isPdf(base64(`\n${' '.repeat(1_000)}%PDF-1.7`))).toBe(true);
  expect(isPdf(base64(`${' '.repeat(1_100)}%PDF-1.7`))).toBe(false);
  expect(isPdf(base64('PK\x03\x04'))).toBe(false);
});

test('an image whose declared type is wrong, but names an image, is accepted', () => {
  const png = base64('\x89PNG\r\n\x1a\n');
  expect(() => requireImage(png, 'image/jpeg', 'x')).not.toThrow();
  expect(() => requireImage(png, '', 'x')).not.toThrow();
  expect(() => requireImage(png, 'application/pdf', 'x')).toThrow(
    'x: must be a JPEG, PNG, GIF or WebP image',
  );
});

describe('a URL', () => {
  test.each([
    'https://images.example.com/a.png?x=1#y',
    'https://Images.Example.com:8443',
    'https://example.com./a.png',
    'https://xn--mnchen-3ya.example/a',
    'https://a_b.s3.example.com?x',
  ])('%s is public', (url) => {
    expect(() => requirePublicUrl(url, 'x')).not.toThrow();
  });

  test.each([
    'http://example.com/a.png',
    'https://10.0.0.1/a',
    'https://10.1/a',
    'https://0x7f000001/a',
    'https://017700000001/a',
    'https://[2001:db8::1]/a',
    'https://intranet/a',
    'https://db.internal/a',
    'https://printer.local/a',
    'https://user@example.com/a',
    'https://example.com\\@10.0.0.1/a',
    'https://exa mple.com/a',
    'https:///a',
    'https://example.com:99999999/a',
    ' https://example.com/a',
  ])('%s is not', (url) => {
    expect(() => requirePublicUrl(url, 'x')).toThrow('x: must be an https URL with a public host name');
  });
});

test.each([
  ['base64', 'QUJD', true],
  ['padding', 'QUI=', true],
  ['twice the padding and a line break', 'QQ==\r\n', true],
  ['lines', 'QUJD\nQUJD', true],
  ['text after the padding', 'QUI=QUJD', false],
  ['padding and much after it', `QUI=${' '.repeat(20)}`, false],
  ['characters of URLs', 'QU-D', false],
  ['an underline', 'QU_D', false],
  ['escapes of URLs', 'QUI%3D', false],
  ['a letter whose last byte is one of base64', 'QUJ\u0144', false],
])('%s: every decoder reads the same bytes, or none is trusted @attack', (_, base64, isSame) => {
  expect(isUnambiguous(base64)).toBe(isSame);
});
