import type { IncomingMessage, Server } from 'node:http';
import { createServer, type Server as NetServer, type Socket } from 'node:net';
import { setTimeout as sleep } from 'node:timers/promises';
import { codeOf } from './data-dir';
import { StartError } from './start-error';

export async function listen(server: NetServer, port: number, host: string): Promise<void> {
  try {
    await new Promise<void>((resolve, reject) => {
      server.once('error', reject);
      server.listen(port, host, () => {
        server.off('error', reject);
        resolve();
      });
    });
  } catch (error) {
    throw explainListenError(error, port, host);
  }
}

/** Fails early, before any slow step, when the address is not available. */
export async function requireFreePort(port: number, host: string): Promise<void> {
  const probe = createServer();
  await listen(probe, port, host);
  await new Promise((resolve) => probe.close(resolve));
}

function explainListenError(error: unknown, port: number, host: string): unknown {
  switch (codeOf(error)) {
    case 'EADDRINUSE':
      return new StartError(
        `Port ${port} is in use by another program. Stop it, or choose another port: PORT=${port + 1} npm start`,
      );
    case 'EACCES':
      return new StartError(`PORT: this user may not listen on port ${port}. Choose a port above 1023.`);
    case 'EADDRNOTAVAIL':
    case 'ENOTFOUND':
      return new StartError(`HOST: ${host} is not an address of this machine.`);
    default:
      return error;
  }
}

const RUNNING_TIMEOUT_MS = 30_000;
const POLL_EVERY_MS = 50;

/**
 * Tracks connections that never carried a request, such as those browsers open in advance:
 * `closeIdleConnections` does not count them as idle. Returns a function that closes them.
 */
export function watchUnusedConnections(server: Server): () => void {
  const unused = new Set<Socket>();
  server.on('connection', (socket: Socket) => {
    unused.add(socket);
    socket.once('close', () => unused.delete(socket));
  });
  server.on('request', ({ socket }: IncomingMessage) => unused.delete(socket));
  return () => {
    for (const socket of unused) socket.destroy();
  };
}

/** Stops accepting connections, lets running responses end, then closes the rest. */
export async function closeGently(server: Server, closeUnused: () => void): Promise<void> {
  const closed = new Promise<void>((resolve) => server.close(() => resolve()));
  const done = new AbortController();
  // A kept-alive connection becomes idle when its response ends.
  const nudge = setInterval(() => {
    server.closeIdleConnections();
    closeUnused();
  }, POLL_EVERY_MS);
  const timeout = sleep(RUNNING_TIMEOUT_MS, undefined, { signal: done.signal }).catch(() => {});
  await Promise.race([closed, timeout]);
  done.abort();
  clearInterval(nudge);
  server.closeAllConnections();
}

/** The preferred port if it is free, else one that the system picks. */
export async function choosePort(preferred?: number): Promise<number> {
  return (preferred !== undefined && (await tryPort(preferred))) || (await tryPort(0)) || 0;
}

function tryPort(port: number): Promise<number | undefined> {
  return new Promise((resolve) => {
    const probe = createServer();
    probe.once('error', () => resolve(undefined));
    probe.listen(port, '127.0.0.1', () => {
      const address = probe.address();
      probe.close(() => resolve(address !== null && typeof address === 'object' ? address.port : undefined));
    });
  });
}
