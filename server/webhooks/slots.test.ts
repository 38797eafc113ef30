import { describe, expect, it } from 'vitest';
import { Slots } from './slots';

/** `times` attempts at an endpoint with this outcome. */
function end(slots: Slots, partnerId: string, timedOut: boolean | undefined, times = 1): void {
  for (let n = 0; n < times; n++) {
    slots.take(partnerId);
    slots.release(partnerId, timedOut);
  }
}

const roomOf = (slots: Slots, partnerId: string) => slots.room().limited.get(partnerId);

describe('the slots of a process', () => {
  it('are 64 in total and 4 for an endpoint', () => {
    const slots = new Slots();
    expect(slots.room()).toEqual({ free: 64, freeForSlow: 32, perEndpoint: 4, limited: new Map() });
    for (let n = 0; n < 3; n++) slots.take('a');
    expect(slots.room().free).toBe(61);
    expect(roomOf(slots, 'a')).toEqual({ free: 1, isSlow: false });
    slots.release('a', false);
    expect(roomOf(slots, 'a')).toEqual({ free: 2, isSlow: false });
  });

  it('shrink to one for an endpoint after five timeouts in a row, until it responds', () => {
    const slots = new Slots();
    end(slots, 'a', true, 4);
    expect(roomOf(slots, 'a')).toEqual({ free: 4, isSlow: false });
    end(slots, 'a', true);
    expect(roomOf(slots, 'a')).toEqual({ free: 1, isSlow: true });
    end(slots, 'a', undefined);
    expect(roomOf(slots, 'a')).toEqual({ free: 1, isSlow: true });
    end(slots, 'a', false);
    expect(roomOf(slots, 'a')).toBeUndefined();
  });

  it('do not shrink when responses occur between timeouts', () => {
    const slots = new Slots();
    for (let n = 0; n < 10; n++) {
      end(slots, 'a', true, 4);
      end(slots, 'a', false);
    }
    expect(roomOf(slots, 'a')).toBeUndefined();
  });

  it('are half reserved for fast endpoints, however many slow ones there are', () => {
    const slots = new Slots();
    for (let n = 0; n < 40; n++) end(slots, `slow-${n}`, true, 5);
    for (let n = 0; n < 32; n++) slots.take(`slow-${n}`);
    expect(slots.room()).toMatchObject({ free: 32, freeForSlow: 0 });
  });

  it('never fall below zero when an endpoint turns slow during four attempts', () => {
    const slots = new Slots();
    end(slots, 'a', true, 4);
    for (let n = 0; n < 4; n++) slots.take('a');
    slots.release('a', true);
    expect(roomOf(slots, 'a')).toEqual({ free: 0, isSlow: true });
  });
});
