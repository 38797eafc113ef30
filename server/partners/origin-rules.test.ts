import { describe, expect, it } from 'vitest';
import { isAllowedOrigin, parseOrigin } from './origin-rules';

describe('registering an origin', () => {
  it.each([
    ['https://EXAMPLE.com:443/', 'https://example.com'],
    [' https://example.com ', 'https://example.com'],
    ['http://example.com:80', 'http://example.com'],
    ['https://a.com:8443', 'https://a.com:8443'],
    ['https://bücher.example', 'https://xn--bcher-kva.example'],
    ['myapp://*', 'myapp://*'],
    ['Capacitor://*', 'capacitor://*'],
    ['com.example.app+x-1://*', 'com.example.app+x-1://*'],
  ])('keeps %s as the text that a browser sends', (text, origin) => {
    expect(parseOrigin(text)).toEqual({ ok: true, origin });
  });

  it.each([
    '',
    'null',
    'example.com',
    'https://',
    'https://example.com/path',
    'https://example.com//',
    'https://example.com?x=1',
    'https://example.com/?',
    'https://example.com#top',
    'https://user@example.com',
    'https://user:secret@example.com',
    'https://example.com\\evil',
    'https://example.com.',
    'https://a;sandbox',
    'https://a,b.example',
    'https://a"b',
    "https://a'b",
    'https://a&b',
    'https://(a)',
    'https://a=b',
    'https://a%3Bsandbox',
    'https://*.example.com',
    'https://*',
    'https://exa mple.com',
    'https://example.com\nhttps://evil.test',
    'https://example.com:99999',
    `https://${'a'.repeat(300)}.com`,
    'myapp://home',
    'myapp://*/x',
    'myapp:*',
    '1app://*',
    '*://*',
  ])('refuses %j and says why', (text) => {
    const parsed = parseOrigin(text);
    expect(parsed.ok).toBe(false);
    expect(!parsed.ok && parsed.reason).toBeTruthy();
  });

  it.each(
    'http https ws wss file data blob javascript about filesystem view-source ftp mailto tel intent HTTPS JavaScript'.split(
      ' ',
    ),
  )('refuses the scheme %s entirely', (scheme) => {
    expect(parseOrigin(`${scheme}://*`).ok).toBe(false);
  });

  it.each([
    ['http://localhost:5173', 'http://localhost:5173'],
    ['http://127.1:3000', 'http://127.0.0.1:3000'],
    ['https://shop.localhost', 'https://shop.localhost'],
  ])('keeps %s for development, and warns what registering it adds', (text, origin) => {
    expect(parseOrigin(text)).toMatchObject({
      ok: true,
      origin,
      warning: expect.stringContaining('remove it before you go live'),
    });
  });

  it('warns about schemes that every browser extension shares', () => {
    expect(parseOrigin('chrome-extension://*')).toMatchObject({
      ok: true,
      warning: expect.stringContaining('extension'),
    });
  });
});

describe('the localhost rule', () => {
  it.each([
    'http://localhost',
    'https://localhost',
    'http://localhost:5173',
    'https://localhost:8443',
    'http://127.0.0.1',
    'http://127.0.0.1:3000',
    'http://demo.localhost:3000',
    'https://a.b.localhost',
    'https://tauri.localhost',
  ])('always allows %s', (origin) => {
    expect(isAllowedOrigin(origin, [])).toBe(true);
  });

  it.each([
    'http://[::1]',
    'http://[::1]:3000',
    'http://127.0.0.2',
    'http://0.0.0.0',
    'http://localhost.',
    'http://localhost.evil.com',
    'http://localhost.evil.test',
    'http://evillocalhost',
    'http://.localhost',
    'http://127.0.0.1.evil.com',
    'http://localhost@evil.com',
    'http://localhost:80.evil.com',
    'http://localhost/',
    'http://LOCALHOST',
    'ftp://localhost',
    'capacitor://localhost',
    'tauri://localhost',
    'null',
    '',
  ])('does not allow %j', (origin) => {
    expect(isAllowedOrigin(origin, [])).toBe(false);
  });
});

describe('registered origins', () => {
  const registered = ['https://example.com', 'https://shop.example.org:8443', 'myapp://*', 'capacitor://*'];

  it.each([
    'https://example.com',
    'https://shop.example.org:8443',
    'capacitor://localhost',
    'myapp://',
    'myapp://home',
  ])('allows %s', (origin) => {
    expect(isAllowedOrigin(origin, registered)).toBe(true);
  });

  it.each([
    'http://example.com',
    'https://www.example.com',
    'https://example.com:8443',
    'https://shop.example.org',
    'https://example.com.evil.test',
    'https://example.com/',
    'HTTPS://EXAMPLE.COM',
    'myapp:home',
    'myapp2://home',
    'xmyapp://home',
    'myapp://x; script-src *',
    'myapp://x https://evil.test',
    'null',
  ])('does not allow %j', (origin) => {
    expect(isAllowedOrigin(origin, registered)).toBe(false);
  });

  it('never allows "null", whatever is registered', () => {
    expect(isAllowedOrigin('null', ['null', 'null://*'])).toBe(false);
  });
});
