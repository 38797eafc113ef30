import type { Server as HttpServer } from 'node:http';
import { Server } from 'node:net';
import { setImmediate as nextTurn, setTimeout as sleep } from 'node:timers/promises';
import { now } from '../clock';
import { log } from '../log';
import type { Connections } from './connections';

const POLL_EVERY_MS = 50;
/** Long enough for a proxy to use its kept connections once more, and to learn that they end. */
const IDLE_MS = 2_000;
/** Paid responses that are cut off settle and send their last event. */
const CUT_OFF_MS = 5_000;
const ACCEPT_MS = 1_000;

export type DrainOptions = {
  /** How long connections are still accepted: until load balancers have noticed that the instance is not ready. */
  delayMs: number;
  /** How long running responses may take after that. */
  timeoutMs: number;
  /** Ends the paid responses that are still running, with an error for their clients. Returns how many. */
  cutOff: () => number;
};

/** Stops the server without failing a request, also behind a proxy that keeps its connections open. */
export async function drain(
  server: HttpServer,
  connections: Connections,
  { delayMs, timeoutMs, cutOff }: DrainOptions,
): Promise<void> {
  connections.endKeepAlive();
  await wait(delayMs, () => false);
  await stopAccepting(server);
  const isClosed = (): boolean => {
    connections.closeIdle(IDLE_MS);
    return connections.open === 0;
  };
  await wait(timeoutMs, isClosed);
  if (connections.running > 0) {
    const requests = connections.running;
    const paid = cutOff();
    log().warn({ requests, paid }, 'requests cut off, because the instance stops');
    await wait(CUT_OFF_MS, () => connections.running <= requests - paid);
  }
  server.close();
  server.closeAllConnections();
}

/**
 * Closes the port in a moment when nothing waits to be accepted: the system resets such connections. The method of
 * `node:http` would also close every idle connection at once.
 */
async function stopAccepting(server: HttpServer): Promise<void> {
  let hasAccepted = true;
  const note = () => {
    hasAccepted = true;
  };
  server.on('connection', note);
  for (const deadline = now() + ACCEPT_MS; hasAccepted && now() < deadline; ) {
    hasAccepted = false;
    await nextTurn();
  }
  server.off('connection', note);
  Server.prototype.close.call(server);
}

async function wait(timeoutMs: number, isOver: () => boolean): Promise<void> {
  for (const deadline = now() + timeoutMs; now() < deadline && !isOver(); ) await sleep(POLL_EVERY_MS);
}
