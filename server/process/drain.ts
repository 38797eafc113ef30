import type { Server as HttpServer } from 'node:http';
import { Server } from 'node:net';
import { setImmediate as nextTurn, setTimeout as sleep } from 'node:timers/promises';
import { now } from '../base/clock';
import { log } from '../base/log';
import type { Connections } from './connections';

const POLL_EVERY_MS = 50;
/** Long enough for a proxy to use its kept connections once more, and to learn that they end. */
const IDLE_MS = 2_000;
/** Paid responses that are cut off settle and send their last event. */
const CUT_OFF_MS = 5_000;
/** How long a busy process looks for a turn in which nothing waits to be accepted. */
const ACCEPT_MS = 3_000;
/** What arrives during the last turn is lost, so that one must be short. */
const SHORT_MS = 0.1;

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
  const isClosed = async (): Promise<boolean> => {
    // After a pause of the process, timers run first: what arrived during the pause is read within two turns.
    await nextTurn();
    await nextTurn();
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
  let hasAccepted = false;
  const note = () => {
    hasAccepted = true;
  };
  server.on('connection', note);
  const beganMs = performance.now();
  for (let waitedMs = 0; waitedMs < ACCEPT_MS; waitedMs = performance.now() - beganMs) {
    hasAccepted = false;
    const turnBeganMs = performance.now();
    await nextTurn();
    // A process that stays busy may have no turn that short.
    const limitMs = SHORT_MS + waitedMs / 1_000;
    if (!hasAccepted && performance.now() - turnBeganMs <= limitMs) break;
  }
  server.off('connection', note);
  Server.prototype.close.call(server);
}

async function wait(timeoutMs: number, isOver: () => boolean | Promise<boolean>): Promise<void> {
  for (const deadline = now() + timeoutMs; now() < deadline && !(await isOver()); )
    await sleep(POLL_EVERY_MS);
}
