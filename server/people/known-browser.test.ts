import { afterEach, expect, it } from 'vitest';
import { DAY_MS, now, setClock } from '../base/clock';
import { settings } from '../base/env';
import { findKnownBrowser, knownBrowserCookie, rememberBrowser } from './known-browser';

const [ADA, GRACE] = ['ada@example.com', 'grace@example.com'];
const start = now();
afterEach(() => setClock());

it('a browser has one id per account, which signing in again keeps', () => {
  const first = rememberBrowser(null, ADA);
  const both = rememberBrowser(first, GRACE);
  const again = rememberBrowser(both, ADA);
  const ids = [ADA, GRACE].map((email) => findKnownBrowser(again, email));
  expect(ids).toEqual([findKnownBrowser(first, ADA), findKnownBrowser(both, GRACE)]);
  expect(new Set(ids).size).toBe(2);
  expect(again.split('~')).toHaveLength(2);
  expect(findKnownBrowser(rememberBrowser(null, ADA), ADA)).not.toBe(ids[0]);
});

it('a cookie is worthless for another account, when altered, or after another secret was set @attack', () => {
  const cookie = rememberBrowser(null, ADA);
  const [id, issued, mac] = cookie.split('.');
  const other = rememberBrowser(null, GRACE).split('.');
  const forged = [
    `${other[0]}.${issued}.${mac}`,
    `${id}.${other[1]}0.${mac}`,
    `${id}.${issued}.${other[2]}`,
    `${id}.${issued}.`,
    id,
    '~~..~',
    null,
    undefined,
  ];
  expect(findKnownBrowser(cookie, GRACE)).toBeNull();
  for (const value of forged) expect(findKnownBrowser(value, ADA), String(value)).toBeNull();
  const { AUTH_SECRET } = settings();
  Object.assign(settings(), { AUTH_SECRET: 'another secret of at least 32 characters' });
  expect(findKnownBrowser(cookie, ADA)).toBeNull();
  Object.assign(settings(), { AUTH_SECRET });
  expect(findKnownBrowser(cookie, ADA)).toBe(id);
});

it('a browser is known for 400 days after the last sign-in', () => {
  setClock(() => start);
  const cookie = rememberBrowser(null, ADA);
  setClock(() => start + 399 * DAY_MS);
  expect(findKnownBrowser(cookie, ADA)).not.toBeNull();
  const renewed = rememberBrowser(cookie, ADA);
  setClock(() => start + 401 * DAY_MS);
  expect(findKnownBrowser(cookie, ADA)).toBeNull();
  expect(findKnownBrowser(renewed, ADA)).not.toBeNull();
});

it('the cookie keeps the latest five accounts, drops what we did not write, and names no one @attack', () => {
  let cookie = 'planted; Domain=example.com~<script>';
  const emails = Array.from({ length: 7 }, (_, n) => `person-${n}@example.com`);
  for (const email of emails) cookie = rememberBrowser(cookie, email);
  const known = emails.filter((email) => findKnownBrowser(cookie, email) !== null);
  expect(known).toEqual(emails.slice(2));
  expect(cookie).toMatch(/^[\w.~-]+$/);
  expect(cookie).not.toContain('person');
  expect(cookie.length).toBeLessThan(300);
});

it('the cookie is restricted to this host and to HTTPS, and hidden from scripts', () => {
  const attributes = /^__Host-svc-known=v; Max-Age=34560000; Path=\/; HttpOnly; Secure; /;
  const [own, framed] = [false, true].map((isFramed) => knownBrowserCookie('v', { framed: isFramed }));
  expect(own).toMatch(attributes);
  expect(own).toMatch(/; SameSite=Lax$/);
  expect(framed).toMatch(attributes);
  expect(framed).toMatch(/; SameSite=None; Partitioned$/);
});
