import { describe, expect, it } from 'vitest';
import { mailboxOf, maskEmail, normaliseEmail } from './email';

describe('normalising an e-mail address', () => {
  it.each([
    ['ada@example.com', 'ada@example.com', 'ada@example.com'],
    ['  Ada.Lovelace@Example.COM ', 'ada.lovelace@example.com', 'Ada.Lovelace@example.com'],
    ['a+b.c@example.com', 'a+b.c@example.com', 'a+b.c@example.com'],
    ['ａｄａ@example.com', 'ada@example.com', 'ada@example.com'],
    ['ada@BÜCHER.example', 'ada@xn--bcher-kva.example', 'ada@xn--bcher-kva.example'],
    ["o'neil@sub.example.co.uk", "o'neil@sub.example.co.uk", "o'neil@sub.example.co.uk"],
  ])('%j is one account, however it is written', (text, email, display) => {
    expect(normaliseEmail(text)).toEqual({ ok: true, email, display });
    expect(normaliseEmail(email)).toMatchObject({ ok: true, email });
  });

  it('keeps dots and tags: they may belong to other people', () => {
    expect(normaliseEmail('a.b+c@gmail.com')).toMatchObject({ email: 'a.b+c@gmail.com' });
  });

  it.each([
    '',
    'ada',
    '@example.com',
    'ada@',
    'ada@localhost',
    'ada@example',
    'ada@.example.com',
    'ada@example..com',
    'ada@-example.com',
    'ada@example.com.',
    'ada@127.0.0.1',
    'ada@[127.0.0.1]',
    'ada@exa%6dple.com',
    'a b@example.com',
    'ada@@example.com',
    '.ada@example.com',
    'ada.@example.com',
    'a..b@example.com',
    '"ada"@example.com',
    'Ada <ada@example.com>',
    'ada@example.com, eve@example.com',
    'ada@example.com;eve@example.com',
    'ada@example.com eve@example.com',
    'ada@example.com\r\nBcc: eve@example.com',
    'ada@example.com\nBcc: eve@example.com',
    'ada\r\nBcc: eve@example.com\r\n@example.com',
    'ada\0@example.com',
    'ada\u0085@example.com',
    'ada\u2028@example.com',
    `${'a'.repeat(65)}@example.com`,
    `ada@${'a'.repeat(63)}.${'b'.repeat(63)}.${'c'.repeat(63)}.${'d'.repeat(63)}.com`,
  ])('refuses %j, because an address is one mailbox, never a list or a header', (text) => {
    expect(normaliseEmail(text)).toEqual({ ok: false });
  });
});

it.each([
  ['ada.lovelace@example.com', 'a•••@example.com'],
  ['"a@b"@example.com', '"•••@example.com'],
  ['a@example.com', '•••@example.com'],
])('masks %j so that only its owner recognises it', (email, masked) => {
  expect(maskEmail(email)).toBe(masked);
});

it.each([
  ['ada+shop@example.com', 'ada@example.com'],
  ['ada+a+b@example.com', 'ada@example.com'],
  ['ada.l+a@example.com', 'ada.l@example.com'],
  ['ada.lovelace@example.com', 'ada.lovelace@example.com'],
  ['+ada@example.com', '+ada@example.com'],
  ['ada-shop@example.com', 'ada-shop@example.com'],
  ['a.d.a+x@gmail.com', 'ada@gmail.com'],
  ['ad.a@googlemail.com', 'ada@gmail.com'],
  ['ada.l+x@outlook.com', 'ada.l@outlook.com'],
  ['ada.l+x@hotmail.co.uk', 'ada.l@hotmail.co.uk'],
  ['ada.l+x@live.com', 'ada.l@live.com'],
  ['ada.l+x@me.com', 'ada.l@icloud.com'],
  ['ada.l@mac.com', 'ada.l@icloud.com'],
  ['a.d_a-l+x@pm.me', 'adal@proton.me'],
  ['ada.l@protonmail.com', 'adal@proton.me'],
  ['ada.l@protonmail.ch', 'adal@proton.me'],
  ['ada.l+x@fastmail.com', 'ada.l@fastmail.com'],
  ['shop.x@ada.fastmail.com', 'ada@fastmail.com'],
  ['shop@ada.fastmail.fm', 'ada@fastmail.fm'],
  ['ada.l-shop@yahoo.com', 'ada.l@yahoo.com'],
  ['ada-shop@yahoo.co.uk', 'ada@yahoo.co.uk'],
  ['ada-shop@ymail.com', 'ada@ymail.com'],
  ['-ada@yahoo.de', '-ada@yahoo.de'],
  ['-._@proton.me', '-._@proton.me'],
  ['a.da@gmail.com.example.org', 'a.da@gmail.com.example.org'],
  ['a.da@notgmail.com', 'a.da@notgmail.com'],
])('the mailbox of %s is %s', (email, mailbox) => {
  expect(mailboxOf(email)).toBe(mailbox);
});
