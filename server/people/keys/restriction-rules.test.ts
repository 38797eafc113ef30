import { expect, it } from 'vitest';
import { MAX_RESTRICTIONS, parseNetworks, parseOrigins } from './restriction-rules';

it('writes addresses and networks in CIDR notation, each once', () => {
  expect(
    parseNetworks(' 203.0.113.7, 203.0.113.99/24\n2001:DB8::1/32 203.0.113.7/32 ::1 0.0.0.0/0,'),
  ).toEqual({
    ok: true,
    list: ['203.0.113.7/32', '203.0.113.0/24', '2001:db8::/32', '::1/128', '0.0.0.0/0'],
  });
  expect(parseNetworks(' ')).toEqual({ ok: true, list: [] });
});

it.each([
  'home',
  '203.0.113',
  '203.0.113.7/33',
  '203.0.113.7/',
  '203.0.113.7/-1',
  '203.0.113.7/24/8',
  '0x7f.0.0.1',
  '2130706433',
  '010.0.0.1',
  'fe80::1%eth0',
  '2001:db8::/129',
  '::ffff:203.0.113.7',
  '::ffff:0:0/96',
  "203.0.113.7'",
])('refuses %j and names it', (entry) => {
  expect(parseNetworks(`10.0.0.1 ${entry}`)).toEqual({
    ok: false,
    reason: expect.stringContaining(`${entry}: expected`),
  });
});

it('writes origins as a browser sends them, and refuses wildcards, paths and other text', () => {
  expect(parseOrigins('HTTPS://App.example.com:443/ http://localhost:3000')).toEqual({
    ok: true,
    list: ['https://app.example.com', 'http://localhost:3000'],
  });
  for (const entry of ['https://*.example.com', 'myapp://*', 'https://a.example/path', 'example', 'null'])
    expect(parseOrigins(entry)).toEqual({ ok: false, reason: expect.stringContaining(`${entry}: `) });
});

it('refuses more entries than a request should compare', () => {
  const many = Array.from({ length: MAX_RESTRICTIONS + 1 }, (_, n) => `10.0.0.${n}`);
  expect(parseNetworks(many.join(' '))).toEqual({ ok: false, reason: 'expected at most 50 entries' });
  expect(parseNetworks(many.slice(1).join(' '))).toMatchObject({ ok: true });
});
