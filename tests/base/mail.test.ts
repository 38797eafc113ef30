import { once } from 'node:events';
import { type AddressInfo, createServer, type Socket } from 'node:net';
import { afterAll, expect, test, vi } from 'vitest';

/** A mail server that hangs. */

const sockets: Socket[] = [];
let greeting = '';
const server = createServer((socket) => {
  sockets.push(socket);
  socket.on('error', () => {}).write(greeting);
}).listen(0, '127.0.0.1');
await once(server, 'listening');
const { port } = server.address() as AddressInfo;

afterAll(() => {
  vi.useRealTimers();
  for (const socket of sockets) socket.destroy();
  server.close();
});

async function sendWith(query: string): Promise<void> {
  process.env.SMTP_URL = `smtp://user:p%40ss@127.0.0.1:${port}${query}`;
  vi.resetModules();
  const { sendMail } = await import('@/server/base/mail');
  await sendMail({ to: 'reader@example.com', subject: 'Hi', text: 'Hi', html: '<p>Hi</p>' });
}

test('a mail server that accepts and never answers fails the mail after 5 seconds @attack', async () => {
  vi.useFakeTimers({ toFake: ['setTimeout', 'clearTimeout'] });
  const outcome = expect(sendWith('')).rejects.toThrow(/Greeting never received|Connection timeout/);
  await once(server, 'connection');
  vi.advanceTimersByTime(5_000);
  await outcome;
  vi.useRealTimers();
});

test('a timeout that SMTP_URL sets is kept', async () => {
  greeting = '220 mail.example.com ESMTP\r\n';
  await expect(sendWith('?socketTimeout=50')).rejects.toThrow('Timeout');
});
