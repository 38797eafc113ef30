import { EventEmitter } from 'node:events';

/**
 * Cancels the call to a provider. Creating an `AbortSignal` and listening to it would take 5% of the time of a
 * paid request.
 */
export class Abort extends EventEmitter<{ abort: [] }> {
  aborted = false;

  abort(): void {
    if (this.aborted) return;
    this.aborted = true;
    this.emit('abort');
  }

  /** Waits for `durationMs`, or until the call is aborted. */
  waitFor(durationMs: number): Promise<void> {
    if (this.aborted) return Promise.resolve();
    return new Promise((resolve) => {
      const wake = () => {
        clearTimeout(timer);
        this.off('abort', wake);
        resolve();
      };
      const timer = setTimeout(wake, durationMs);
      this.once('abort', wake);
    });
  }
}
