import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { networkInterfaces } from 'node:os';
import { afterAll, beforeEach, describe, expect, it } from 'vitest';
import { prisma } from '@/server/base/db';
import { readSettings } from '@/server/base/env';
import { createPartner } from '@/server/partners/partner';
import { attempt } from '@/server/partners/webhooks/attempt';
import { setEndpoint } from '@/server/partners/webhooks/endpoint';
import { post } from '@/server/partners/webhooks/post';
import { isPublicAddress } from '@/server/partners/webhooks/public-address';
import { newSealedSecret } from '@/server/partners/webhooks/signing-secret';
import { newDatabase } from '../../harness';
import { recordTest, takeDue } from './hook-world';
import { startNameServer } from './name-server';

await newDatabase();
process.env.BASE_URL = 'https://pay.example.com';
const names = await startNameServer();
const { id: partnerId } = await createPartner({ name: 'Acme', rateBp: 0, origins: [] });

beforeEach(async () => {
  names.queries.splice(0);
  await prisma().delivery.deleteMany();
});

/** As if the address had been registered before the rules covered it. */
async function attemptAt(url: string) {
  await prisma().partner.update({
    where: { id: partnerId },
    data: { webhookUrl: url, webhookSecret: newSealedSecret(partnerId) },
  });
  await recordTest(partnerId);
  const [claim] = await takeDue();
  if (!claim) throw new Error('nothing was due');
  return attempt(claim);
}

const FORBIDDEN_URLS: [string, string][] = [
  ['', 'not_a_url'],
  ['hooks.example.com', 'not_a_url'],
  ['https://', 'not_a_url'],
  ['https://exa mple.com/', 'not_a_url'],
  ['https://1.2.3.4.5/', 'not_a_url'],
  ['https://256.1.1.1/', 'not_a_url'],
  [`https://example.com/${'x'.repeat(2_000)}`, 'too_long'],
  ['http://example.com/', 'not_https'],
  ['ftp://example.com/', 'not_https'],
  ['file:///etc/passwd', 'not_https'],
  ['gopher://example.com/', 'not_https'],
  ['javascript:alert(1)', 'not_https'],
  ['https://user@example.com/', 'credentials'],
  ['https://user:password@example.com/', 'credentials'],
  ['https://:password@example.com/', 'credentials'],
  ['https://127.0.0.1@example.com/', 'credentials'],
  ['https://example.com/#part', 'fragment'],
  ['https://example.com/#', 'fragment'],
  ['https://example.com:8443/', 'port'],
  ['https://example.com:80/', 'port'],
  ['https://example.com:22/', 'port'],
  ['https://127.0.0.1/', 'ip_address'],
  ['https://127.1/', 'ip_address'],
  ['https://2130706433/', 'ip_address'],
  ['https://0x7f000001/', 'ip_address'],
  ['https://0x7f.1/', 'ip_address'],
  ['https://0177.0.0.1/', 'ip_address'],
  ['https://0/', 'ip_address'],
  ['https://127.0.0.1./', 'ip_address'],
  ['https://１２７.０.０.１/', 'ip_address'],
  ['https://①②⑦.0.0.1/', 'ip_address'],
  ['https://127。0。0。1/', 'ip_address'],
  ['https://%31%32%37.0.0.1/', 'ip_address'],
  ['https://8.8.8.8/', 'ip_address'],
  ['https://169.254.169.254/latest/meta-data/', 'ip_address'],
  ['https://[::1]/', 'ip_address'],
  ['https://[::]/', 'ip_address'],
  ['https://[::ffff:127.0.0.1]/', 'ip_address'],
  ['https://[::ffff:7f00:1]/', 'ip_address'],
  ['https://[fd00::1]/', 'ip_address'],
  ['https://[64:ff9b::7f00:1]/', 'ip_address'],
  ['https://[2001:4860:4860::8888]/', 'ip_address'],
  ['https://localhost/', 'not_a_public_name'],
  ['https://LOCALHOST./', 'not_a_public_name'],
  ['https://ｌｏｃａｌｈｏｓｔ/', 'not_a_public_name'],
  ['https://app.localhost/', 'not_a_public_name'],
  ['https://localhost.localdomain/', 'not_a_public_name'],
  ['https://printer.local/', 'not_a_public_name'],
  ['https://metadata.google.internal/', 'not_a_public_name'],
  ['https://router.home.arpa/', 'not_a_public_name'],
  ['https://hooks.test/', 'not_a_public_name'],
  ['https://hooks.invalid/', 'not_a_public_name'],
  ['https://hidden.onion/', 'not_a_public_name'],
  ['https://intranet/', 'not_a_public_name'],
  ['https://com/', 'not_a_public_name'],
  ['https://a..example.com/', 'not_a_public_name'],
  ['https://example.com../', 'not_a_public_name'],
  ['https://.example.com/', 'not_a_public_name'],
  ['https://*.example.com/', 'not_a_public_name'],
  ['https://pay.example.com/api/stripe', 'own_address'],
  ['https://PAY.example.com./', 'own_address'],
];

describe('an address that is refused by its text', () => {
  it.each(FORBIDDEN_URLS)('%s: %s', async (url, reason) => {
    expect(await setEndpoint(partnerId, url)).toMatchObject({
      ok: false,
      reason,
      message: expect.any(String),
    });
    expect(names.queries).toEqual([]);
  });

  it.each(FORBIDDEN_URLS.filter(([url]) => url !== ''))('%s is not called either', async (url) => {
    expect(await attemptAt(url)).toMatchObject({ status: null, error: 'blocked_address' });
    expect(names.queries).toEqual([]);
  });
});

const FORBIDDEN_ADDRESSES = [
  '0.0.0.0',
  '0.1.2.3',
  '10.0.0.1',
  '10.255.255.255',
  '100.64.0.1',
  '100.127.255.255',
  '127.0.0.1',
  '127.255.255.254',
  '168.63.129.16',
  '169.254.0.1',
  '169.254.169.254',
  '172.16.0.1',
  '172.31.255.255',
  '192.0.0.1',
  '192.0.0.170',
  '192.0.2.1',
  '192.88.99.1',
  '192.168.0.1',
  '198.18.0.1',
  '198.19.255.255',
  '198.51.100.1',
  '203.0.113.1',
  '224.0.0.1',
  '239.255.255.255',
  '240.0.0.1',
  '255.255.255.255',
  '::',
  '::1',
  '::7f00:1',
  '::ffff:127.0.0.1',
  '::ffff:8.8.8.8',
  '::ffff:0:127.0.0.1',
  '64:ff9b::7f00:1',
  '64:ff9b::808:808',
  '64:ff9b:1::1',
  '100::1',
  '2001::1',
  '2001:10::1',
  '2001:20::1',
  '2001:db8::1',
  '2002:7f00:1::',
  '3fff::1',
  '5f00::1',
  'fc00::1',
  'fd12:3456::1',
  'fe80::1',
  'fe80::1%eth0',
  'febf::1',
  'fec0::1',
  'ff02::1',
  '',
  'example.com',
  '1.2.3',
  '127.1.evil',
];

describe('an address that no delivery reaches', () => {
  it.each(FORBIDDEN_ADDRESSES)('%s', (address) => {
    expect(isPublicAddress(address)).toBe(false);
  });

  it('is also any address of this machine', () => {
    const own = Object.values(networkInterfaces()).flatMap((found) => found ?? []);
    expect(own.filter(({ address }) => isPublicAddress(address))).toEqual([]);
  });

  it.each([
    '1.1.1.1',
    '8.8.8.8',
    '93.184.216.34',
    '168.63.129.15',
    '172.32.0.1',
    '100.128.0.1',
    '2606:4700::1111',
    '2a00:1450::1',
  ])('is not %s', (address) => {
    expect(isPublicAddress(address)).toBe(true);
  });
});

describe('a name is judged by every address it resolves to', () => {
  it.each([
    ['private', { a: ['10.1.2.3'] }],
    ['public and private', { a: ['93.184.216.34', '10.1.2.3'] }],
    ['public in one family and private in the other', { a: ['93.184.216.34'], aaaa: ['fd00::1'] }],
    ['private in IPv6 only', { aaaa: ['::1'] }],
    ['the metadata service', { a: ['169.254.169.254'] }],
    ['the platform of a cloud', { a: ['168.63.129.16'] }],
    ['IPv4 mapped to IPv6', { aaaa: ['::ffff:127.0.0.1'] }],
    ['an alias of localhost', { cname: 'localhost', a: ['127.0.0.1'] }],
  ])('%s: refused at registration and at the attempt', async (title, records) => {
    const host = `${title.replace(/\W+/g, '-').toLowerCase()}.example.com`;
    names.setRecords(host, records);
    expect(await setEndpoint(partnerId, `https://${host}/`)).toMatchObject({
      ok: false,
      reason: 'private_address',
    });
    expect(await attemptAt(`https://${host}/`)).toMatchObject({ status: null, error: 'blocked_address' });
  });

  it('public in both families: accepted', async () => {
    names.setRecords('good.example.com', { a: ['93.184.216.34'], aaaa: ['2606:2800:220:1::1'] });
    expect(await setEndpoint(partnerId, 'https://GOOD.example.com.:443/hook?a=b')).toMatchObject({
      ok: true,
      url: 'https://good.example.com/hook?a=b',
      warning: null,
    });
  });

  it('unknown: accepted with a warning, and each attempt fails until it resolves', async () => {
    expect(await setEndpoint(partnerId, 'https://nowhere.example.com/')).toMatchObject({
      ok: true,
      warning: expect.stringContaining('nowhere.example.com'),
    });
    expect(await attemptAt('https://nowhere.example.com/')).toMatchObject({ status: null, error: 'dns' });
  });
});

describe('a name that resolves differently between the check and the connection', () => {
  it('is looked up once per attempt, and judged again at the next', async () => {
    names.setRecords('rebind.example.com', { a: ['93.184.216.34'] }, { a: ['127.0.0.1'] });
    expect(await setEndpoint(partnerId, 'https://rebind.example.com/')).toMatchObject({ ok: true });
    expect(names.queries.sort()).toEqual(['A rebind.example.com', 'AAAA rebind.example.com']);
    names.queries.splice(0);
    expect(await attemptAt('https://rebind.example.com/')).toMatchObject({ error: 'blocked_address' });
    expect(names.queries.sort()).toEqual(['A rebind.example.com', 'AAAA rebind.example.com']);
  });

  it('is called at the checked address, whatever it resolves to by then', async () => {
    const hosts: (string | undefined)[] = [];
    const server = createServer((request, response) => {
      hosts.push(request.headers.host);
      response.end('here');
    }).listen(0, '127.0.0.1');
    afterAll(() => server.close());
    await new Promise((resolve) => server.once('listening', resolve));
    const { port } = server.address() as AddressInfo;
    names.setRecords('pinned.example.com', { a: ['93.184.216.34'] });
    const sent = await post({
      url: new URL(`http://pinned.example.com:${port}/`),
      addresses: ['127.0.0.1'],
      headers: {},
      body: '{}',
      signal: AbortSignal.timeout(5_000),
    });
    expect(sent).toMatchObject({ ok: true, status: 200 });
    expect(hosts).toEqual([`pinned.example.com:${port}`]);
    expect(names.queries).toEqual([]);
  });
});

it('a receiver on this machine needs a setting, which is refused with a live Stripe key', () => {
  expect(readSettings({}).WEBHOOK_ALLOW_LOOPBACK).toBe(false);
  expect(readSettings({ WEBHOOK_ALLOW_LOOPBACK: '1' }).WEBHOOK_ALLOW_LOOPBACK).toBe(true);
  const live = {
    STRIPE_SECRET_KEY: 'sk_live_x',
    STRIPE_PUBLISHABLE_KEY: 'pk_live_x',
    STRIPE_WEBHOOK_SECRET: 'whsec_x',
    BASE_URL: 'https://pay.example.com',
  };
  expect(() => readSettings({ ...live, WEBHOOK_ALLOW_LOOPBACK: 'true' })).toThrow(
    /^WEBHOOK_ALLOW_LOOPBACK: /,
  );
  expect(() => readSettings({ WEBHOOK_ALLOW_LOOPBACK: 'perhaps' })).toThrow(
    /^WEBHOOK_ALLOW_LOOPBACK: expected true or false/,
  );
});

it('a name server that never responds costs five seconds at most', async () => {
  names.stopResponding();
  const result = await attemptAt('https://silent.example.com/');
  expect(result.error).toMatch(/^(timeout|dns)$/);
  expect(result.durationMs).toBeLessThan(5_500);
});
