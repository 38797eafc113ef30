// @ts-check
import { Server } from 'node:net';

/** Preloaded into a server that has no setting for its address, so that it listens on loopback only. */

const listen = Server.prototype.listen;

/** @type {(this: Server, ...given: unknown[]) => Server} */
function listenOnLoopback(port, host, ...rest) {
  const address =
    typeof port === 'number' && typeof host !== 'string'
      ? [port, '127.0.0.1', ...(host === undefined ? [] : [host])]
      : [port, host];
  return Reflect.apply(listen, this, [...address, ...rest]);
}

Server.prototype.listen = /** @type {typeof listen} */ (listenOnLoopback);
