import { now } from '../base/clock';
import { SettingsError } from '../base/env';
import { describeError, log } from '../base/log';
import { showMessage } from './show-message';
import { StartError } from './start-error';

/**
 * Closes everything that was opened, in reverse order, whether the start failed half-way or a signal
 * asked to stop.
 */

type Close = () => Promise<unknown> | unknown;

export class Lifetime {
  private readonly opened: { name: string; close: Close; abandon?: () => void }[] = [];
  private readonly stopping = new AbortController();

  /** Registers how to close what was just opened. `abandon` must not wait: a second signal calls it. */
  onStop(name: string, close: Close, abandon?: () => void): void {
    this.opened.push({ name, close, ...(abandon ? { abandon } : {}) });
  }

  /** Called between the steps of a start, so that a signal stops it at the next safe point. */
  goOn(): void {
    this.stopping.signal.throwIfAborted();
  }

  get isStopping(): boolean {
    return this.stopping.signal.aborted;
  }

  requestStop(): void {
    this.stopping.abort();
  }

  whenStopRequested(): Promise<void> {
    const { signal } = this.stopping;
    if (signal.aborted) return Promise.resolve();
    return new Promise((resolve) => signal.addEventListener('abort', () => resolve(), { once: true }));
  }

  /** Closes everything, even if one part fails to close. Returns whether all closed. */
  async close(): Promise<boolean> {
    let clean = true;
    for (const { name, close } of this.opened.splice(0).reverse()) {
      try {
        await close();
      } catch (error) {
        clean = false;
        log().error({ part: name, error: describeError(error) }, 'could not close a part of the service');
      }
    }
    return clean;
  }

  abandon(): void {
    for (const { abandon } of this.opened.toReversed()) abandon?.();
  }
}

/** Starts, waits for a signal, stops, and exits the process with its exit code. */
export async function runUntilStopped(start: (life: Lifetime) => Promise<void>): Promise<never> {
  const life = new Lifetime();
  let failed = false;
  listenForSignals(life);
  ignoreClosedOutput();
  process.on('uncaughtException', (error) => {
    log().fatal({ error: describeError(error) }, 'uncaught exception');
    failed = true;
    life.requestStop();
  });
  process.on('unhandledRejection', (error) =>
    log().error({ error: describeError(error) }, 'unhandled rejection'),
  );
  try {
    await start(life);
    await life.whenStopRequested();
  } catch (error) {
    if (!life.isStopping) {
      failed = true;
      showMessage(`\n${explain(error)}\n`);
    }
  }
  const clean = await life.close();
  process.exit(failed || !clean ? 1 : 0);
}

/** npm forwards the signal that the terminal has already sent us: two within a second are one request. */
const SAME_SIGNAL_MS = 1_000;

function listenForSignals(life: Lifetime): void {
  let firstAt: number | undefined;
  const stop = () => {
    firstAt ??= now();
    if (now() - firstAt > SAME_SIGNAL_MS) {
      life.abandon();
      process.exit(130);
    }
    if (!life.isStopping) showMessage('\nStopping…\n');
    life.requestStop();
  };
  for (const signal of ['SIGINT', 'SIGTERM', 'SIGHUP'] as const) process.on(signal, stop);
}

/** Whatever reads our output may be gone. Reporting that would fail the same way, endlessly. */
function ignoreClosedOutput(): void {
  for (const output of [process.stdout, process.stderr]) output.on('error', () => {});
}

export function explain(error: unknown): string {
  if (error instanceof SettingsError) return `Invalid settings:\n${error.message}`;
  if (error instanceof StartError) return error.message;
  return `Starting failed: ${describeError(error)}`;
}
