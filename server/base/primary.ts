import { parentPort } from 'node:worker_threads';
import { Channel, type End } from './channel';
import { SECOND_MS } from './clock';
import { instanceNumber } from './env';

/** The process that started this instance together with others, and that counts what they share: process/instances.ts. */

export const primaryEnd = (): End => ({
  // Without a callback, a message to a process that has ended would be an uncaught error.
  send: (message) => void process.send?.(message, () => {}),
  from: process,
});

/** Longer than the primary waits for an instance that it has to ask first. */
const PRIMARY_MS = 5 * SECOND_MS;

let channel: Channel | undefined;

/** Returns undefined if this is the only instance, or without an answer in time. The thread of the pages asks through its process. */
export async function askPrimary<Answer>(question: string, about?: unknown): Promise<Answer | undefined> {
  if (instanceNumber() === undefined) return undefined;
  channel ??= new Channel(
    parentPort === null
      ? primaryEnd()
      : { send: (message) => parentPort?.postMessage(message), from: parentPort },
  );
  return channel.ask<Answer>(question, about, PRIMARY_MS);
}
