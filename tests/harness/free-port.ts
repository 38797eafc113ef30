import { randomInt } from 'node:crypto';
import { createServer } from 'node:net';

/**
 * Returns a free port for another program. It is below those that systems give to connections, one of
 * which could take it before that program listens.
 */
export async function freePort(): Promise<number> {
  const port = randomInt(20_000, 32_000);
  return (await isFree(port)) ? port : freePort();
}

function isFree(port: number): Promise<boolean> {
  const server = createServer();
  return new Promise((resolve) => {
    server.once('error', () => resolve(false));
    server.listen(port, '127.0.0.1', () => server.close(() => resolve(true)));
  });
}
