import type { AddressInfo } from 'node:net';
import { createServer, type Server } from 'node:net';
import { afterAll, expect, test } from 'vitest';
import { prisma } from '@/server/base/db';
import { readSpendable } from '@/server/ledger';
import { startApi } from '../../harness/api-server';
import { newDatabase } from '../../harness/database';
import { newPerson } from '../../harness/people';

/** Connections that fail before a request is sent: nothing is charged. */

await newDatabase();

async function listen(server: Server): Promise<number> {
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  return (server.address() as AddressInfo).port;
}

const hangsUp = createServer((socket) => socket.once('data', () => socket.destroy()));
const respondsPlainly = createServer((socket) => {
  socket.on('error', () => {});
  socket.once('data', () => socket.end('HTTP/1.1 400 Bad Request\r\nconnection: close\r\n\r\n'));
});
const closed = createServer();
const ports = {
  OPENAI: await listen(hangsUp),
  MISTRAL: await listen(respondsPlainly),
  GROQ: await listen(closed),
};
closed.close();
afterAll(() => {
  hangsUp.close();
  respondsPlainly.close();
});
for (const [provider, port] of Object.entries(ports)) {
  process.env[`${provider}_API_KEY`] = 'key-of-the-test';
  process.env[`${provider}_BASE_URL`] = `https://127.0.0.1:${port}/v1`;
}
const api = await startApi();

test.each([
  ['closes the connection in the TLS handshake', 'openai/gpt-4.1-mini'],
  ['does not support TLS', 'mistral/mistral-small-2603'],
  ['does not listen', 'groq/openai/gpt-oss-20b'],
])('a provider that %s gets 502 without naming the provider, and nothing is charged', async (_, model) => {
  const person = await newPerson({ credits: 10 });
  const response = await fetch(`${api.url}/v1/chat/completions`, {
    method: 'POST',
    headers: { authorization: `Bearer ${person.userKey}`, 'content-type': 'application/json' },
    body: JSON.stringify({ model, messages: [{ role: 'user', content: 'Hello' }] }),
  });
  const text = await response.text();

  expect([response.status, JSON.parse(text).error.type]).toEqual([502, 'upstream_error']);
  expect(response.headers.get('x-should-retry')).toBe('false');
  // A random id contains any three letters.
  const withoutId = text.replace(/"req_\w+"/, '');
  expect(withoutId).not.toMatch(/127\.0\.0\.1|ssl|tls|ECONN|socket|key-of/i);
  expect((await readSpendable(person.userId, person.partnerId)).balance).toBe(10_000_000n);
  expect(await prisma().hold.count()).toBe(0);
});
