import { afterEach, expect, test } from 'vitest';
import { DAY_MS, now, setClock } from '@/server/base/clock';
import { createPartner } from '@/server/partners/partner';
import {
  cancelPlannedRate,
  dearerBy,
  listRaises,
  planPartnerRate,
  setPartnerRate,
} from '@/server/partners/rates';
import { newDatabase } from '../harness';

await newDatabase();
afterEach(() => setClock());

test('users learn of a commission that has grown in the period, and of one that will grow, and of no other', async () => {
  const start = now();
  const day = (days: number) => setClock(() => start + days * DAY_MS);
  const raises = async (since: number) =>
    (await listRaises([partnerId], new Date(start + since * DAY_MS))).map(({ fromBp, toBp, at }) => [
      fromBp,
      toBp,
      Math.round((at.getTime() - start) / DAY_MS),
    ]);
  day(0);
  const { id: partnerId } = await createPartner({ name: 'Notes', rateBp: 2_000, origins: [] });
  const { id: other } = await createPartner({ name: 'Other', rateBp: 0, origins: [] });
  await setPartnerRate(other, 9_000);
  expect(await raises(-30)).toEqual([]);
  day(10);
  await setPartnerRate(partnerId, 3_500);
  day(11);
  expect(await raises(1)).toEqual([[2_000, 3_500, 10]]);
  expect(dearerBy({ fromBp: 2_000, toBp: 3_500 })).toBe(12.5);
  await planPartnerRate(partnerId, 5_000, new Date(start + 20 * DAY_MS));
  expect(await raises(1)).toEqual([
    [2_000, 3_500, 10],
    [3_500, 5_000, 20],
  ]);
  await cancelPlannedRate(partnerId);
  await planPartnerRate(partnerId, 3_000, new Date(start + 20 * DAY_MS));
  expect(await raises(1)).toEqual([[2_000, 3_500, 10]]);
  expect(await raises(11)).toEqual([]);
  day(12);
  await setPartnerRate(partnerId, 2_000);
  expect(await raises(1)).toEqual([]);
});
