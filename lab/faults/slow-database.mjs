// @ts-check
import { once } from 'node:events';
import { connect, createServer } from 'node:net';
import { setTimeout as sleep } from 'node:timers/promises';

/**
 * A database at the end of a slow network: each statement takes longer, and nothing fails.
 *
 * @typedef {import('./world.mjs').World} World
 * @typedef {import('node:net').Socket} Socket
 */

/** Both instances reach the database through it, for a while. @param {World} world @param {{ addedMs: number, forMs: number }} how */
export async function slowDown(world, { addedMs, forMs }) {
  const { hostname, port } = new URL(world.databaseUrl);
  /** @type {Set<Socket>} */
  const open = new Set();
  const server = createServer((inner) => {
    const outer = connect(Number(port), hostname);
    for (const socket of [inner, outer]) {
      open.add(socket);
      socket.setNoDelay(true).on('error', () => {});
      socket.once('close', () => open.delete(socket));
    }
    relay(inner, outer, addedMs / 2);
    relay(outer, inner, addedMs / 2);
  });
  await once(server.listen(0, '127.0.0.1'), 'listening');
  const address = /** @type {import('node:net').AddressInfo} */ (server.address());
  const DATABASE_URL = Object.assign(new URL(world.databaseUrl), { port: String(address.port) }).href;
  try {
    for (const n of [0, 1]) await world.restart(n, { DATABASE_URL });
    await sleep(forMs);
    for (const n of [0, 1]) await world.restart(n);
  } finally {
    server.close();
    for (const socket of open) socket.destroy();
  }
}

/** Timers of one length end in the order in which they began. @param {Socket} from @param {Socket} to @param {number} ms */
function relay(from, to, ms) {
  from.on('data', (data) => setTimeout(() => to.write(data), ms));
  from.once('close', () => setTimeout(() => to.end(), ms));
}
