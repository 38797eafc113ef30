import { setTimeout as pause } from 'node:timers/promises';
import { describeError, log } from '../../base/log';
import { type Claim, claimDue } from './claim';
import { deliver } from './deliver';
import { Slots } from './slots';

/**
 * Delivers due events, in every process. Polls the outbox ten times a second with one cheap
 * statement, and again as soon as an attempt ends.
 */

const POLL_EVERY_MS = 100;
const POLL_AFTER_FAILURE_MS = 1_000;

/** Returns a function that stops taking deliveries and waits for running attempts. */
export function startDeliveryWorker(): () => Promise<void> {
  const worker = new DeliveryWorker();
  const loop = worker.run();
  return async () => {
    worker.stop();
    await loop;
  };
}

class DeliveryWorker {
  private readonly stopping = new AbortController();
  private readonly slots = new Slots();
  private readonly attempts = new Set<Promise<void>>();
  private wake: () => void = () => {};

  stop(): void {
    this.stopping.abort();
    this.wake();
  }

  async run(): Promise<void> {
    while (!this.stopping.signal.aborted) {
      const woken = new Promise<void>((resolve) => {
        this.wake = resolve;
      });
      const restMs = await this.takeDue();
      await Promise.race([woken, pause(restMs, undefined, { ref: false })]);
    }
    await Promise.all(this.attempts);
  }

  /** Returns how long to wait before the next poll. */
  private async takeDue(): Promise<number> {
    try {
      const room = this.slots.room();
      if (room.free > 0) for (const claim of await claimDue(room)) this.start(claim);
      return POLL_EVERY_MS;
    } catch (error) {
      log().error({ error: describeError(error) }, 'webhooks: could not read the outbox');
      return POLL_AFTER_FAILURE_MS;
    }
  }

  private start(claim: Claim): void {
    this.slots.take(claim);
    const attempt = this.deliver(claim).finally(() => {
      this.attempts.delete(attempt);
      this.wake();
    });
    this.attempts.add(attempt);
  }

  private async deliver(claim: Claim): Promise<void> {
    let durationMs: number | undefined;
    try {
      durationMs = (await deliver(claim))?.durationMs;
    } catch (error) {
      log().error(
        { event_id: claim.eventId, error: describeError(error) },
        'webhooks: could not record an attempt',
      );
    } finally {
      this.slots.release(claim, durationMs);
    }
  }
}
