import { setTimeout as pause } from 'node:timers/promises';
import { describeError, log } from '../log';
import type { AttemptResult } from './attempt';
import { type Claim, claimDue } from './claim';
import { deliver } from './deliver';

/**
 * Delivers what is due, in every process. It looks into the outbox ten times a second, one cheap
 * statement, and again as soon as an attempt ends.
 */

const SLOTS = 64;
const SLOTS_PER_ENDPOINT = 4;
/** An endpoint that only timed out lately is tried one event at a time … */
const TIMEOUTS_UNTIL_SLOW = 5;
/** … and all such endpoints together leave room for the others. */
const SLOTS_FOR_SLOW = SLOTS / 2;
const LOOK_EVERY_MS = 100;
const LOOK_AFTER_FAILURE_MS = 1_000;

/** Returns the function that takes on nothing more and lets running attempts end. */
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
  private readonly running = new Map<string, number>();
  private readonly timeoutsInARow = new Map<string, number>();
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
      const restMs = await this.takeWhatIsDue();
      if (restMs > 0) await Promise.race([woken, pause(restMs, undefined, { ref: false })]);
    }
    await Promise.all(this.attempts);
  }

  /** How long to wait before the next look. */
  private async takeWhatIsDue(): Promise<number> {
    if (this.attempts.size >= SLOTS) return LOOK_EVERY_MS;
    try {
      const claims = await claimDue(this.room());
      for (const claim of claims) this.start(claim);
      return LOOK_EVERY_MS;
    } catch (error) {
      log().error({ error: describeError(error) }, 'webhooks: the outbox could not be read');
      return LOOK_AFTER_FAILURE_MS;
    }
  }

  private room() {
    const known = new Set([...this.running.keys(), ...this.timeoutsInARow.keys()]);
    const limited = new Map(
      [...known].map((partnerId) => {
        const isSlow = this.isSlow(partnerId);
        const free = (isSlow ? 1 : SLOTS_PER_ENDPOINT) - (this.running.get(partnerId) ?? 0);
        return [partnerId, { free: Math.max(0, free), isSlow }];
      }),
    );
    const slowRunning = [...this.running]
      .filter(([partnerId]) => this.isSlow(partnerId))
      .reduce((sum, [, count]) => sum + count, 0);
    return {
      free: SLOTS - this.attempts.size,
      freeForSlow: Math.max(0, SLOTS_FOR_SLOW - slowRunning),
      perEndpoint: SLOTS_PER_ENDPOINT,
      limited,
    };
  }

  private start(claim: Claim): void {
    const { partnerId, eventId } = claim;
    this.running.set(partnerId, (this.running.get(partnerId) ?? 0) + 1);
    const attempt = deliver(claim)
      .then((result) => {
        if (result) this.learn(partnerId, result);
      })
      .catch((error: unknown) =>
        log().error({ eventId, error: describeError(error) }, 'webhooks: an attempt was not recorded'),
      )
      .finally(() => {
        this.attempts.delete(attempt);
        const left = (this.running.get(partnerId) ?? 1) - 1;
        if (left === 0) this.running.delete(partnerId);
        else this.running.set(partnerId, left);
        this.wake();
      });
    this.attempts.add(attempt);
  }

  private learn(partnerId: string, { error }: AttemptResult): void {
    if (error === 'timeout')
      this.timeoutsInARow.set(partnerId, (this.timeoutsInARow.get(partnerId) ?? 0) + 1);
    else this.timeoutsInARow.delete(partnerId);
  }

  private isSlow(partnerId: string): boolean {
    return (this.timeoutsInARow.get(partnerId) ?? 0) >= TIMEOUTS_UNTIL_SLOW;
  }
}
