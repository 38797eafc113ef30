// @ts-check
import { once } from 'node:events';
import { connect, createServer } from 'node:net';

/**
 * A network to one port, which can be cut.
 *
 * @typedef {{ port: number, cut: (isCut: boolean) => void, close: () => void }} Relay
 *
 * @param {number} target
 * @returns {Promise<Relay>}
 */
export async function openRelay(target) {
  /** @type {Set<import('node:net').Socket>} */
  const open = new Set();
  let isCut = false;
  const server = createServer((inner) => {
    if (isCut) return void inner.destroy();
    const outer = connect(target, '127.0.0.1');
    for (const socket of [inner, outer]) {
      open.add(socket.on('error', () => {}));
      socket.once('close', () => {
        open.delete(socket);
        inner.destroy();
        outer.destroy();
      });
    }
    inner.pipe(outer).pipe(inner);
  });
  await once(server.listen(0, '127.0.0.1'), 'listening');
  const { port } = /** @type {import('node:net').AddressInfo} */ (server.address());
  const destroyAll = () => {
    for (const socket of open) socket.destroy();
  };
  return {
    port,
    cut: (isNowCut) => {
      isCut = isNowCut;
      if (isCut) destroyAll();
    },
    close: () => {
      server.close();
      destroyAll();
    },
  };
}
