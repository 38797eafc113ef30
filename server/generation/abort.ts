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
}
