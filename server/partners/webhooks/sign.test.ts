import { expect, it } from 'vitest';
import { signatureHeader } from './sign';

const SECRET = 'whsec_AAECAwQFBgcICQoLDA0ODxAREhMUFRYXGBkaGxwdHh8';

/** Computed with `openssl dgst -sha256 -hmac "$SECRET"` over `t`, a dot and the body. */
it.each([
  ['{}', 0, '4e88c589b768de64211fb4d65f5183080aef6d5e0924960f3d0e5242d22a5c3d'],
  [
    '{"id":"evt_1","type":"test"}',
    1_700_000_000,
    '95eb429ba005d399f91db7ea26e86f3473a6110d8d1c35609166ad3fb2c5b237',
  ],
  [
    '{"message":"Grüße 👋 a/b \\u2028 \\"q\\""}',
    1_700_000_000,
    'cf69aadc3f2d1ae0ac6b54a8c5c2ff559dc11b9555d84a4757457f7131b520b1',
  ],
  ['', 4_102_444_800, 'dd409d39727a665206141acf5921870955b092d5fe1a08484e7cd1492148f4b3'],
])('signs %j at %i to the byte', (body, unixSeconds, v1) => {
  expect(signatureHeader(SECRET, body, unixSeconds)).toBe(`t=${unixSeconds},v1=${v1}`);
});
