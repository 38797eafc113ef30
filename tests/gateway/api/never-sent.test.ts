import { once } from 'node:events';
import { createServer, type Socket } from 'node:net';
import { afterAll, expect, test } from 'vitest';
import { prisma } from '@/server/base/db';
import { endBackgroundReads } from '@/server/gateway/run/background-reads';
import { runningGenerations } from '@/server/gateway/run/run';
import { startApi } from '../../harness/api-server';
import { newDatabase } from '../../harness/database';
import { newPerson } from '../../harness/people';
import { readReceipts } from '../../harness/receipts';
import { until } from '../../harness/until';

/** Nobody pays for a call that its provider never got. */

await newDatabase();
/** Accepts connections and says nothing, so that no handshake ends. */
const silent = createServer((socket) => {
  sockets.add(socket);
  socket.on('error', () => {});
});
const sockets = new Set<Socket>();
await once(silent.listen(0, '127.0.0.1'), 'listening');
afterAll(() => {
  for (const socket of sockets) socket.destroy();
  silent.close();
});
const address = silent.address();
process.env.OPENAI_API_KEY = 'key-of-the-test';
process.env.OPENAI_BASE_URL = `https://127.0.0.1:${typeof address === 'object' ? address?.port : 0}`;
const api = await startApi();

test.each([
  ['a stream', 'openai/gpt-4.1', true],
  ['a whole response', 'openai/o3', false],
])('a client that leaves %s before the provider is connected pays nothing', async (_, model, stream) => {
  const { userId, userKey } = await newPerson({ credits: 1_000 });
  const controller = new AbortController();
  const connected = once(silent, 'connection');
  const response = fetch(`${api.url}/v1/chat/completions`, {
    method: 'POST',
    headers: { authorization: `Bearer ${userKey}`, 'content-type': 'application/json' },
    body: JSON.stringify({ model, stream, messages: [{ role: 'user', content: 'Hello' }] }),
    signal: controller.signal,
  });
  response.catch(() => {});
  await connected;
  controller.abort();
  await until(
    async () => {
      // A whole response is read on: the end of the instance ends that.
      endBackgroundReads();
      return runningGenerations();
    },
    (running) => running === 0,
  );
  expect(await readReceipts(userId)).toEqual([]);
  expect(await prisma().providerLoss.count({ where: { userId } })).toBe(0);
  expect(await prisma().hold.count()).toBe(0);
});
