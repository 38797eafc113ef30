import { expect, it } from 'vitest';
import { readableOrigin } from './readable-origin';

const origin = (text: string): string => new URL(text).origin;

it.each([
  'https://bücher.example',
  'http://straße.example:8080',
  'https://łódź.żółw.example',
  'https://例え.テスト',
  'https://한국어.example',
  'https://пример.испытание',
  'https://παράδειγμα.δοκιμή',
  'https://हिन्दी.example',
])('shows %s in readable form', (name) => {
  expect(origin(name)).toContain('xn--');
  expect(readableOrigin(origin(name))).toBe(name);
});

it.each([
  ['a plain ASCII name', 'https://example.com'],
  ['an app scheme', 'myapp://*'],
  ['Cyrillic that looks Latin', origin('https://аррӏе.com')],
  ['two alphabets in one name', origin('https://pаypal.com')],
  ['a dotless i', origin('https://lınk.com')],
  ['right-to-left text', origin('https://مثال.example')],
  ['a name that no browser produces', 'https://xn--example.com'],
  ['broken Punycode', 'https://xn--a-.com'],
  ['unfinished Punycode', 'https://xn--9.com'],
])('adds nothing for %s', (_, text) => {
  expect(readableOrigin(text)).toBeNull();
});
