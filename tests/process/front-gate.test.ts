import { mkdtempSync, readFileSync, rmSync } from 'node:fs';
import { request } from 'node:http';
import { connect } from 'node:net';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { text } from 'node:stream/consumers';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { API_ROUTES } from '@/server/process/api-routes';
import { buildPages, buildWidget, bundleServer } from '../../scripts/steps.mjs';
import { newDatabase } from '../harness';
import { newPerson } from '../harness/people';
import { Dashboard } from '../people/identity/dashboard';
import { openMailbox } from '../people/identity/mailbox';
import { Instance } from '../sim/instances';

/** Requests that no client library sends, on plain sockets, to a real server with the built pages. */

const { url: databaseUrl } = await newDatabase();
await openMailbox();
const { userKey } = await newPerson({ credits: 10 });
const folder = mkdtempSync(path.join(tmpdir(), 'front-gate-'));
let instance: Instance;

beforeAll(async () => {
  await buildWidget();
  await buildPages();
  await bundleServer();
  instance = await Instance.start(folder, {
    NODE_ENV: 'production',
    LOG_LEVEL: 'warn',
    AUTH_SECRET: process.env.AUTH_SECRET ?? '',
    DATABASE_URL: databaseUrl,
    SMTP_URL: process.env.SMTP_URL ?? '',
    LIMIT_CODES_PER_ADDRESS_PER_HOUR: '3',
  });
}, 300_000);

afterAll(async () => {
  await instance?.stop();
  rmSync(folder, { recursive: true });
});

/** Resolves to all that came back until the server closed the connection. */
function send(text: string): Promise<string> {
  const socket = connect(Number(new URL(instance.url).port), '127.0.0.1');
  let received = '';
  return new Promise((resolve) => {
    socket.on('data', (data) => (received += data.toString('latin1')));
    socket.on('error', () => {});
    socket.once('close', () => resolve(received));
    socket.write(text, 'latin1');
  });
}

const HOST = 'Host: localhost';
const CLOSE = 'Connection: close';
const PAGE = '/robots.txt';

const statusOf = (received: string): number => Number(/^HTTP\/1\.1 (\d{3}) /.exec(received)?.[1] ?? 0);

const headOf = (line: string, headers: string[]): string =>
  `${[`${line} HTTP/1.1`, ...headers].join('\r\n')}\r\n\r\n`;

/** What other users get on the connections to the pages that were just used. */
async function expectOthersUnharmed(): Promise<void> {
  for (let n = 0; n < 3; n++) {
    const received = await send(headOf(`GET ${PAGE}`, [HOST, CLOSE]));
    expect([statusOf(received), received.includes('User-agent: *')]).toEqual([200, true]);
  }
  const all = await Promise.all(Array.from({ length: 4 }, () => send(headOf(`GET ${PAGE}`, [HOST, CLOSE]))));
  expect(all.map(statusOf)).toEqual([200, 200, 200, 200]);
}

const SMUGGLED = headOf('GET /sign-in?return=/chosen', [HOST]);
const COUNTS = [99, 100, 101, 999, 1_000, 1_001];
const PLACES = ['first', 'last'] as const;

test.each(
  COUNTS.flatMap((lines) => PLACES.map((place) => ({ lines, place, status: lines > 100 ? 431 : 200 }))),
)(
  'with $lines headers, Content-Length $place, a request gets $status and the next one is whole @attack',
  async (given) => {
    const length = `Content-Length: ${SMUGGLED.length}`;
    const fill = Array.from({ length: given.lines - 3 }, () => 'a:b');
    const headers = given.place === 'first' ? [length, HOST, CLOSE, ...fill] : [HOST, CLOSE, ...fill, length];
    expect(headers).toHaveLength(given.lines);
    for (const target of [PAGE, '/v1/models', '/livez']) {
      const received = await send(headOf(`GET ${target}`, headers) + SMUGGLED);
      expect(statusOf(received)).toBe(given.status);
      expect(received.split('HTTP/1.1 ')).toHaveLength(2);
    }
    await expectOthersUnharmed();
  },
);

const CHUNKED = 'Transfer-Encoding: chunked';
const SMUGGLED_CHUNK = `${SMUGGLED.length.toString(16)}\r\n${SMUGGLED}\r\n0\r\n\r\n`;

test.each<[string, string, number[]]>([
  [
    'two lengths',
    headOf(`POST ${PAGE}`, [HOST, CLOSE, 'Content-Length: 0', `Content-Length: ${SMUGGLED.length}`]),
    [400],
  ],
  ['a length and chunks', headOf(`POST ${PAGE}`, [HOST, CLOSE, 'Content-Length: 5', CHUNKED]), [400]],
  ['chunks and a length', headOf(`POST ${PAGE}`, [HOST, CLOSE, CHUNKED, 'Content-Length: 5']), [400]],
  [
    'chunks that are not the last coding',
    headOf(`POST ${PAGE}`, [HOST, CLOSE, 'Transfer-Encoding: chunked, identity']),
    [400],
  ],
  ['an unknown coding', headOf(`POST ${PAGE}`, [HOST, CLOSE, 'Transfer-Encoding: xchunked']), [400]],
  ['a length with a sign', headOf(`POST ${PAGE}`, [HOST, CLOSE, 'Content-Length: +5']), [400]],
  ['a blank before the colon', headOf(`POST ${PAGE}`, [HOST, CLOSE, 'Transfer-Encoding : chunked']), [400]],
  [
    'a folded header',
    headOf(`POST ${PAGE}`, [HOST, CLOSE, 'X-A: b\r\n Transfer-Encoding: chunked']),
    [200, 400, 405],
  ],
  [
    'a header that names the framing as its own',
    headOf(`GET ${PAGE}`, [
      HOST,
      'Connection: close, content-length, host',
      `Content-Length: ${SMUGGLED.length}`,
    ]),
    [200],
  ],
  ['a body of a GET in chunks', headOf(`GET ${PAGE}`, [HOST, CLOSE, CHUNKED]), [200]],
  ['a body of a HEAD', headOf(`HEAD ${PAGE}`, [HOST, CLOSE, `Content-Length: ${SMUGGLED.length}`]), [200]],
  [
    'an expectation',
    headOf(`POST ${PAGE}`, [HOST, CLOSE, 'Expect: 100-continue', `Content-Length: ${SMUGGLED.length}`]),
    [100, 405],
  ],
  [
    'an unknown expectation',
    headOf(`POST ${PAGE}`, [HOST, CLOSE, 'Expect: 200-ok', `Content-Length: ${SMUGGLED.length}`]),
    [417],
  ],
  [
    'an upgrade',
    headOf(`GET ${PAGE}`, [
      HOST,
      'Connection: close, Upgrade',
      'Upgrade: websocket',
      'Sec-WebSocket-Key: YQ==',
      'Sec-WebSocket-Version: 13',
    ]),
    [200],
  ],
  [
    'an upgrade to HTTP/2',
    headOf(`GET ${PAGE}`, [
      HOST,
      'Connection: close, Upgrade, HTTP2-Settings',
      'Upgrade: h2c',
      'HTTP2-Settings: AAMAAABk',
    ]),
    [200],
  ],
  ['a host of another', headOf('GET http://evil.example/robots.txt', [HOST, CLOSE]), [400]],
  ['an authority', headOf('CONNECT evil.example:443', [HOST, CLOSE]), [0, 400]],
  ['two hosts', headOf(`GET ${PAGE}`, [HOST, 'Host: evil.example', CLOSE]), [400]],
  ['no host', headOf(`GET ${PAGE}`, [CLOSE]), [400]],
  ['a host that is none', headOf(`GET ${PAGE}`, ['Host: a/b@evil.example', CLOSE]), [400]],
  ['no host in HTTP/1.0', `GET ${PAGE} HTTP/1.0\r\n\r\n`, [400]],
  ['HTTP/1.0', `GET ${PAGE} HTTP/1.0\r\n${HOST}\r\n\r\n`, [200, 400]],
  ['lines that end in LF alone', `GET ${PAGE} HTTP/1.1\n${HOST}\n${CLOSE}\n\n`, [200, 400]],
  ['two requests at once', headOf(`GET ${PAGE}`, [HOST]), [0]],
])('%s smuggles nothing @attack', async (_, head, statuses) => {
  const body = /chunked/i.test(head) ? SMUGGLED_CHUNK : SMUGGLED;
  const received = await send(head + body);
  expect(statuses).toContain(statusOf(received));
  expect(received.match(/^HTTP\/1\.1 [2-5]/gm)?.length ?? 0).toBeLessThanOrEqual(1);
  expect(received).not.toContain('chosen');
  await expectOthersUnharmed();
});

test.each([
  ['a client’s address', 'X-Svc-Client-Address: 203.0.113.9', 200],
  ['a length', 'Content-Length: 9', 400],
])('%s in trailers reaches nobody', async (_, trailer, status) => {
  const received = await send(`${headOf(`GET ${PAGE}`, [HOST, CLOSE, CHUNKED])}0\r\n${trailer}\r\n\r\n`);
  expect(statusOf(received)).toBe(status);
  await expectOthersUnharmed();
});

const repeat = (text: string, times: number) => text.repeat(times);

test.each<[string, string, number, number]>([
  ['a URL of 8 kB', `/${repeat('a', 8_191)}`, 404, 414],
  ['100 parameters', `${PAGE}?${repeat('a&', 99)}a`, 200, 400],
])('%s is accepted, and one more is refused', async (_, target, status, refused) => {
  const more = target.includes('?') ? `${target}&a` : `${target}a`;
  expect(statusOf(await send(headOf(`GET ${target}`, [HOST, CLOSE])))).toBe(status);
  expect(statusOf(await send(headOf(`GET ${more}`, [HOST, CLOSE])))).toBe(refused);
});

test('16 kB of headers are accepted, and one byte more is refused', async () => {
  const [bytes, own] = [16_384, [HOST, CLOSE, 'a: '].reduce((sum, line) => sum + line.length + 2, 0)];
  const withBytes = (total: number) => headOf(`GET ${PAGE}`, [HOST, CLOSE, `a: ${repeat('b', total - own)}`]);
  expect(statusOf(await send(withBytes(bytes)))).toBe(200);
  expect(statusOf(await send(withBytes(bytes + 1)))).toBe(431);
});

test.each([
  ['segments and a slash at the end', `/${repeat('a/', 4_000)}`],
  ['needless escapes', `/%2e%2e/${repeat('%2f', 2_600)}/`],
  ['slashes', `/v1${repeat('/', 8_100)}x/`],
  [
    'a secret of the processor and what must be escaped',
    `/?payment_intent_client_secret=a&b=${repeat('[', 8_000)}`,
  ],
  ['escapes of text', `/${repeat('%C3%A9', 1_300)}/`],
])('a URL full of %s never fails the pages', async (_, target) => {
  const status = statusOf(await send(headOf(`GET ${target}`, [HOST, CLOSE])));
  expect(status).toBeGreaterThanOrEqual(300);
  expect(status).toBeLessThan(500);
});

test('the built pages contain no route file of the API @attack', () => {
  const built = JSON.parse(readFileSync('.next/server/app-paths-manifest.json', 'utf8')) as object;
  const places = Object.keys(built).map((key) => key.replace(/\/route$/, ''));
  expect(places).toContain('/api/stripe');
  expect(places.filter((place) => place in API_ROUTES)).toEqual([]);
});

const SPELLINGS = [
  '/CHAT/completions',
  '/Chat/Completions',
  '/V1/chat/completions',
  '/v1/CHAT/completions',
  '/MESSAGES',
  '/Messages/count_tokens',
  '/v1%2Fchat%2Fcompletions',
  '/v1/chat%2fcompletions',
  '/V1/V1/messages',
];

test.each(SPELLINGS)('POST %s runs no paid request @attack', async (target) => {
  const body = JSON.stringify({
    model: 'sandbox/echo',
    max_tokens: 5,
    messages: [{ role: 'user', content: 'hi' }],
  });
  const length = `Content-Length: ${body.length}`;
  for (const key of [`Authorization: Bearer ${userKey}`, `X-Api-Key: ${userKey}`, 'X-Other: none']) {
    const headers = [HOST, CLOSE, key, 'Content-Type: application/json', length];
    expect([404, 405]).toContain(statusOf(await send(headOf(`POST ${target}`, headers) + body)));
  }
});

test.each(['/%76%31/models', '/v1//models', '/models//', '//v1/models/'])(
  'GET %s is GET /v1/models',
  async (target) => {
    const received = await send(headOf(`GET ${target}`, [HOST, CLOSE]));
    expect([statusOf(received), received.includes('"object":"list"')]).toEqual([200, true]);
  },
);

test.each(['/v1/../account', '/%2e%2e/account', '/v1/.%2E/models', '/a\\b', '/a#b', '/v1/é'])(
  'GET %s has no canonical spelling and is refused',
  async (target) => {
    expect(statusOf(await send(headOf(`GET ${target}`, [HOST, CLOSE])))).toBe(400);
  },
);

test('whatever a client sends, its codes count for the address of its connection @attack', async () => {
  const dashboard = new Dashboard(instance.url.replace('127.0.0.1', 'localhost'));
  const { id } = dashboard.find('sendCode');
  const forged = (n: number): Record<string, string> => ({
    'x-svc-client-address': `203.0.113.${n}`,
    'x-forwarded-for': `198.51.100.${n}`,
    forwarded: `for=192.0.2.${n}`,
    'x-real-ip': `192.0.2.${n}`,
  });
  const askFor = (n: number, page: string, more: Record<string, string>): Promise<string> => {
    const own = { ...dashboard.ownPage, 'next-action': id, 'content-type': 'text/plain;charset=UTF-8' };
    const options = { method: 'POST', headers: { ...own, ...more }, localAddress: '127.0.0.2', family: 4 };
    return new Promise((resolve, reject) => {
      request(`${dashboard.url}${page}`, options, (response) => text(response).then(resolve, reject))
        .on('error', reject)
        .end(JSON.stringify([{ email: `forged-${n}@example.com` }]));
    });
  };
  // The pages pass an action on that the requested page does not have.
  for (const [n, page] of ['/sign-in', '/pricing', '/sign-in'].entries())
    expect(await askFor(n, page, forged(n))).toContain('"ok":true');
  const many = Object.fromEntries(Array.from({ length: 80 }, (_, n) => [`x-${n}`, 'a']));
  for (const [n, page] of ['/sign-in', '/pricing', '/'].entries())
    expect(await askFor(10 + n, page, { ...forged(10 + n), ...many })).toContain('Too many codes');
});

const UNKNOWN = ['/nothing-here', '/_not-found', '/_error', '/404', '/500', '/_app', '/_document'];

test.each([...UNKNOWN, '/_global-error', '/_global-error/', '/%5Fglobal-error', '/_global-error?_rsc=1'])(
  'the page %s does not exist, also where Next has one of that name',
  async (page) => {
    for (const headers of [{}, { rsc: '1' }]) {
      const response = await fetch(instance.url + page, { headers, redirect: 'manual' });
      expect([response.status, (await response.text()).includes('Page not found')]).toEqual([404, true]);
    }
    const sent = await fetch(instance.url + page, { method: 'POST', redirect: 'manual' });
    expect(sent.status).toBe(404);
  },
);

test.each(['/', '/pricing', '/nothing-here', '/api/x', '/logos/', '/_next/x'])(
  'a state of the router that Next did not write is refused on %s @attack',
  async (page) => {
    const state = { rsc: '1', 'next-router-state-tree': '["",{}]' };
    const deep = `${'["",{"a":'.repeat(600)}["",{}]${'}]'.repeat(600)}`;
    for (const tree of [state['next-router-state-tree'], deep]) {
      const headers = { ...state, 'next-router-state-tree': tree };
      expect((await fetch(instance.url + page, { headers })).status).toBeLessThan(500);
    }
    for (const tree of ['', '%F3', '%7Bx', '[]', 'null', '{}', `${deep}]`]) {
      const headers = { ...state, 'next-router-state-tree': tree };
      const response = await fetch(instance.url + page, { headers });
      expect([tree.slice(0, 20), response.status]).toEqual([tree.slice(0, 20), 400]);
      expect(await response.text()).toContain('next-router-state-tree: must be a state of the router.');
    }
    for (const name of ['next-router-prefetch', 'next-router-segment-prefetch', 'next-url'])
      for (const value of ['%F3', '/..', '_tree', '[]'])
        expect(
          (await fetch(instance.url + page, { headers: { ...state, [name]: value } })).status,
        ).toBeLessThan(500);
  },
);

test('a repeated parameter of the authorization endpoint is refused, and the browser is not redirected', async () => {
  const page = await fetch(`${instance.url}/auth/authorize?client_id=x&state=a&state=b`, {
    redirect: 'manual',
  });
  expect([page.status, await page.text()]).toEqual([
    200,
    expect.stringContaining('state: must not be repeated'),
  ]);
});
