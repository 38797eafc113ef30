import { createServer, type Server } from 'node:net';
import { codeOf } from './data-dir';
import { StartError } from './start-error';

/**
 * Connections that wait while the process is busy; the system may allow fewer (`net.core.somaxconn`). Beyond, the system
 * drops them, and their clients try again for up to a minute, where an accepted request gets a 503.
 */
const WAITING_CONNECTIONS = 4_096;

export async function listen(server: Server, port: number, host: string): Promise<void> {
  try {
    await new Promise<void>((resolve, reject) => {
      server.once('error', reject);
      server.listen({ port, host, backlog: WAITING_CONNECTIONS }, () => {
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
