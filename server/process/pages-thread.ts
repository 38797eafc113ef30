import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { parentPort, workerData } from 'node:worker_threads';
import { describeError, log } from '../base/log';
import { logConsole } from './console-lines';
import { MAX_HEAD_BYTES } from './gate';
import { type PagesMessage, type PagesOptions, STOP_PAGES, startPagesHere } from './pages';

/** The thread that serves the pages, on a loopback port known only to this process. */

logConsole();

const send = (message: PagesMessage) => parentPort?.postMessage(message);

try {
  const pages = await startPagesHere({ ...(workerData as PagesOptions), dev: false });
  // Idle connections stay open: one that closes just as the process reuses it would fail a page.
  const server = createServer({ keepAliveTimeout: 0, maxHeaderSize: MAX_HEAD_BYTES }, (request, response) => {
    pages.listener(request, response).catch((error: unknown) => {
      log().error({ error: describeError(error) }, 'page failed');
      response.destroy();
    });
  });
  server.listen(0, '127.0.0.1', () => {
    const { port } = server.address() as AddressInfo;
    // Where Next sends an action that the requested page does not have: here, with its client's IP, and not to the
    // process, which would count it for this machine.
    process.env.__NEXT_PRIVATE_ORIGIN = `http://127.0.0.1:${port}`;
    send({ ready: port });
  });
  parentPort?.on('message', async (message) => {
    if (message !== STOP_PAGES) return;
    server.close();
    server.closeAllConnections();
    await pages.close();
    process.exit(0);
  });
} catch (error) {
  send({ failed: describeError(error) });
}
