import { afterEach, expect, test } from 'vitest';
import { setClock } from './clock';
import { newId } from './ids';

afterEach(() => setClock());

test.each(['req', 'txn'] as const)(
  'ids of %s sort by their time, and differ within a millisecond',
  (prefix) => {
    const times = [0, 1, 61, 62, 1_795_000_000_000, 1_795_000_000_001, Date.UTC(2081, 0, 1)];
    const ids = times.map((at) => {
      setClock(() => at);
      return newId(prefix);
    });
    expect([...ids].sort()).toEqual(ids);
    for (const id of ids) expect(id).toMatch(/^[a-z]{3}_[0-9A-Za-z]{22}$/);
    expect(new Set(Array.from({ length: 1_000 }, () => newId(prefix))).size).toBe(1_000);
  },
);

test('other ids do not reveal their time', () => {
  setClock(() => 0);
  expect(newId('usr')).not.toMatch(/^usr_0000000/);
});
