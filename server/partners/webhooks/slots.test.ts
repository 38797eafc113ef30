import { describe, expect, it } from 'vitest';
import { Slots } from './slots';

const placeOf = (partnerId: string, team = partnerId) => ({ partnerId, team });

/** `times` attempts at an endpoint, each of this duration. */
function end(slots: Slots, partnerId: string, durationMs: number | undefined, times = 1): void {
  for (let n = 0; n < times; n++) {
    slots.take(placeOf(partnerId));
    slots.release(placeOf(partnerId), durationMs);
  }
}

const roomOf = (slots: Slots, partnerId: string) => slots.room().limited.get(partnerId);

describe('the slots of a process', () => {
  it('are 64 in total, 8 for a team and 4 for an endpoint', () => {
    const slots = new Slots();
    expect(slots.room()).toEqual({
      free: 64,
      freeForSlow: 32,
      perTeam: 8,
      teams: new Map(),
      perEndpoint: 4,
      limited: new Map(),
    });
    for (let n = 0; n < 3; n++) slots.take(placeOf('a', 'team'));
    slots.take(placeOf('b', 'team'));
    expect(slots.room().free).toBe(60);
    expect(slots.room().teams.get('team')).toBe(4);
    expect(roomOf(slots, 'a')).toEqual({ free: 1, isSlow: false });
    slots.release(placeOf('a', 'team'), 100);
    expect(slots.room().teams.get('team')).toBe(5);
    expect(roomOf(slots, 'a')).toEqual({ free: 2, isSlow: false });
  });

  it.each([
    ['times out', 5_000],
    ['responds late', 1_500],
  ])('shrink to one for an endpoint that %s, until it is fast', (_, durationMs) => {
    const slots = new Slots();
    end(slots, 'a', durationMs, 4);
    expect(roomOf(slots, 'a')).toEqual({ free: 1, isSlow: true });
    end(slots, 'a', undefined);
    expect(roomOf(slots, 'a')).toEqual({ free: 1, isSlow: true });
    end(slots, 'a', 100, 4);
    expect(roomOf(slots, 'a')).toBeUndefined();
  });

  it('do not shrink for an endpoint that is slow once in a while', () => {
    const slots = new Slots();
    for (let n = 0; n < 10; n++) {
      end(slots, 'a', 1_900);
      expect(roomOf(slots, 'a')?.isSlow).not.toBe(true);
      end(slots, 'a', 100, 4);
    }
    expect(roomOf(slots, 'a')).toBeUndefined();
  });

  it('are half reserved for fast endpoints, however many slow ones there are', () => {
    const slots = new Slots();
    for (let n = 0; n < 40; n++) end(slots, `slow-${n}`, 5_000, 5);
    for (let n = 0; n < 32; n++) slots.take(placeOf(`slow-${n}`));
    expect(slots.room()).toMatchObject({ free: 32, freeForSlow: 0 });
  });

  it('never fall below zero when an endpoint turns slow during four attempts', () => {
    const slots = new Slots();
    for (let n = 0; n < 4; n++) slots.take(placeOf('a'));
    slots.release(placeOf('a'), 5_000);
    expect(roomOf(slots, 'a')).toEqual({ free: 0, isSlow: true });
  });
});
