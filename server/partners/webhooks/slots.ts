import { SECOND_MS } from '../../base/clock';
import type { Room } from './claim';

/** The number of deliveries this process may send concurrently, in total, per team and per endpoint. */

const SLOTS = 64;
/** A team may have 20 apps. */
const SLOTS_PER_TEAM = 8;
const SLOTS_PER_ENDPOINT = 4;
/** An endpoint whose recent attempts took longer than this on average gets one event at a time. */
const SLOW_MS = SECOND_MS;
/** All such endpoints together use at most half of the slots. */
const SLOTS_FOR_SLOW = SLOTS / 2;

/** `team` is the id of the app if it has none. */
type DeliveryOwner = { partnerId: string; team: string };

export class Slots {
  private readonly running = new Map<string, number>();
  private readonly runningOfTeam = new Map<string, number>();
  /** The duration of the last attempt, half that of the one before, a quarter of the third, and so on. */
  private readonly busyMs = new Map<string, number>();

  take({ partnerId, team }: DeliveryOwner): void {
    add(this.running, partnerId, 1);
    add(this.runningOfTeam, team, 1);
  }

  /** `durationMs` is undefined when nothing was sent or the result is unknown. */
  release({ partnerId, team }: DeliveryOwner, durationMs: number | undefined): void {
    add(this.running, partnerId, -1);
    add(this.runningOfTeam, team, -1);
    if (durationMs === undefined) return;
    const busyMs = (this.busyMs.get(partnerId) ?? 0) / 2 + durationMs;
    if (busyMs > SLOW_MS) this.busyMs.set(partnerId, busyMs);
    else this.busyMs.delete(partnerId);
  }

  room(): Room {
    const known = [...new Set([...this.running.keys(), ...this.busyMs.keys()])];
    const slow = known.filter((partnerId) => this.isSlow(partnerId));
    return {
      free: SLOTS - this.count([...this.running.keys()]),
      freeForSlow: Math.max(0, SLOTS_FOR_SLOW - this.count(slow)),
      perTeam: SLOTS_PER_TEAM,
      teams: new Map([...this.runningOfTeam].map(([team, running]) => [team, SLOTS_PER_TEAM - running])),
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
    return (this.busyMs.get(partnerId) ?? 0) > 2 * SLOW_MS;
  }

  private count(partnerIds: string[]): number {
    return partnerIds.reduce((sum, partnerId) => sum + this.runningOf(partnerId), 0);
  }

  private readonly runningOf = (partnerId: string): number => this.running.get(partnerId) ?? 0;
}

function add(counts: Map<string, number>, id: string, change: number): void {
  const left = (counts.get(id) ?? 0) + change;
  if (left > 0) counts.set(id, left);
  else counts.delete(id);
}
