import { EventEmitter } from 'node:events';

/**
 * Ends a provider's work. undici listens to an emitter as it does to an `AbortSignal`, of which the
 * making and the listening alone would cost a paid request a twentieth of its time.
 */
export class Abort extends EventEmitter<{ abort: [] }> {
  aborted = false;

  abort(): void {
    if (this.aborted) return;
    this.aborted = true;
    this.emit('abort');
  }

  /** Waits, unless or until it is aborted. */
  rest(forMs: number): Promise<void> {
    if (this.aborted) return Promise.resolve();
    return new Promise((resolve) => {
      const wake = () => {
        clearTimeout(timer);
        this.off('abort', wake);
        resolve();
      };
      const timer = setTimeout(wake, forMs);
      this.once('abort', wake);
    });
  }
}
