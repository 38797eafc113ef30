import { once } from 'node:events';
import { createServer, type ServerResponse } from 'node:http';
import { connect } from 'node:net';
import { setImmediate as nextTurn } from 'node:timers/promises';
import { expect, test } from 'vitest';
import { type Reply, toResponse, writeReply } from '@/server/base/http/reply';

/** A stream may be ended with an error while its provider is still read. */

const LATE: Reply = {
  headers: {},
  body: async (client) => {
    client.write('first');
    client.end(', last');
    client.write(', late');
    await nextTurn();
    client.end(', later');
  },
};

test('what is written to a response after its end reaches no client that has not read it, and breaks nothing', async () => {
  const errors: unknown[] = [];
  const server = createServer((_, outgoing) => {
    outgoing.on('error', (error) => errors.push(error));
    void fill(outgoing);
  });
  await once(server.listen(0, '127.0.0.1'), 'listening');
  const address = server.address();
  const client = connect(typeof address === 'object' ? (address?.port ?? 0) : 0, '127.0.0.1').pause();
  client.write('GET / HTTP/1.1\r\nHost: localhost\r\n\r\n');

  async function fill(outgoing: ServerResponse): Promise<void> {
    writeReply(outgoing, LATE, 'req_1');
    await nextTurn();
    client.resume();
  }

  let text = '';
  for await (const piece of client) {
    text += piece;
    if (text.includes('0\r\n\r\n')) break;
  }
  client.destroy();
  server.close();
  expect(text).toContain(', last');
  expect(text).not.toContain('late');
  expect(errors).toEqual([]);
});

test('a web response ignores what is written after its end', async () => {
  const response = toResponse(LATE, new AbortController().signal);
  expect(await response.text()).toBe('first, last');
});
