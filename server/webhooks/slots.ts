import type { Room } from './claim';

/** The number of deliveries this process may send concurrently, in total and per endpoint. */

const SLOTS = 64;
const SLOTS_PER_ENDPOINT = 4;
/** An endpoint whose recent attempts all timed out gets one event at a time. */
const TIMEOUTS_UNTIL_SLOW = 5;
/** All such endpoints together use at most half of the slots. */
const SLOTS_FOR_SLOW = SLOTS / 2;

export class Slots {
  private readonly running = new Map<string, number>();
  private readonly timeoutsInARow = new Map<string, number>();

  take(partnerId: string): void {
    this.running.set(partnerId, this.runningOf(partnerId) + 1);
  }

  /** `timedOut` is undefined when nothing was sent or the result is unknown. */
  release(partnerId: string, timedOut: boolean | undefined): void {
    const left = this.runningOf(partnerId) - 1;
    if (left > 0) this.running.set(partnerId, left);
    else this.running.delete(partnerId);
    if (timedOut) this.timeoutsInARow.set(partnerId, this.timeoutsOf(partnerId) + 1);
    else if (timedOut === false) this.timeoutsInARow.delete(partnerId);
  }

  room(): Room {
    const known = [...new Set([...this.running.keys(), ...this.timeoutsInARow.keys()])];
    const slow = known.filter((partnerId) => this.isSlow(partnerId));
    return {
      free: SLOTS - this.count([...this.running.keys()]),
      freeForSlow: Math.max(0, SLOTS_FOR_SLOW - this.count(slow)),
      perEndpoint: SLOTS_PER_ENDPOINT,
      limited: new Map(known.map((partnerId) => [partnerId, this.roomOf(partnerId)])),
    };
  }

  private roomOf(partnerId: string): { free: number; isSlow: boolean } {
    const isSlow = this.isSlow(partnerId);
    const free = (isSlow ? 1 : SLOTS_PER_ENDPOINT) - this.runningOf(partnerId);
    return { free: Math.max(0, free), isSlow };
  }

  private isSlow(partnerId: string): boolean {
    return this.timeoutsOf(partnerId) >= TIMEOUTS_UNTIL_SLOW;
  }

  private count(partnerIds: string[]): number {
    return partnerIds.reduce((sum, partnerId) => sum + this.runningOf(partnerId), 0);
  }

  private readonly runningOf = (partnerId: string): number => this.running.get(partnerId) ?? 0;
  private readonly timeoutsOf = (partnerId: string): number => this.timeoutsInARow.get(partnerId) ?? 0;
}
