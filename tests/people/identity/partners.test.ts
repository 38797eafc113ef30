import { afterEach, describe, expect, it } from 'vitest';
import { DAY_MS, MINUTE_MS, now, SECOND_MS, setClock } from '@/server/base/clock';
import { inTransaction, prisma } from '@/server/base/db';
import { settings } from '@/server/base/env';
import {
  createPartner,
  disablePartner,
  enablePartner,
  findPartner,
  findPartnerByKey,
  requirePartner,
  stateOf,
} from '@/server/partners/partner';
import {
  applyDueRates,
  cancelPlannedRate,
  listRates,
  planPartnerRate,
  setPartnerRate,
  setRateCap,
} from '@/server/partners/rates';
import { listRetiredKeys, rotatePublishableKey } from '@/server/partners/rotate-key';
import { approvePartner, declinePartner, signUpPartner } from '@/server/partners/sign-up';
import { findMembership, listTeams, moveToOwner } from '@/server/partners/teams';
import { openUser } from '@/server/people/users';
import { newDatabase } from '../../harness';

await newDatabase();
afterEach(() => setClock());

const newApp = () => createPartner({ name: 'Acme', rateBp: 2_500, origins: ['https://acme.example'] });
const rateOf = async (id: string) => (await findPartner(id))?.rateBp;
const historyOf = async (id: string) => (await listRates(id)).map((rate) => rate.rateBp);

describe('signing up an app', () => {
  let apps = 0;
  const signUp = async (email = 'owner@example.com') => {
    const { id: userId } = await inTransaction((tx) => openUser(tx, email));
    return signUpPartner({
      email,
      userId,
      teamId: null,
      name: `Notes ${'x'.repeat(++apps)}`,
      rateBp: 1_000,
      origins: ['https://notes.example'],
    });
  };

  it('enables the app immediately where sign-up is open', async () => {
    Object.assign(settings(), { PARTNER_SIGNUP: 'open' });
    const partner = await signUp();
    expect(stateOf(partner)).toBe('enabled');
    expect((await requirePartner(partner.publishableKey)).id).toBe(partner.id);
  });

  it('keeps the app disabled until an operator approves it, where that is required', async () => {
    Object.assign(settings(), { PARTNER_SIGNUP: 'approval' });
    const [approved, declined] = [await signUp(), await signUp()];
    for (const { publishableKey, ...partner } of [approved, declined]) {
      expect(partner.review).toBe('pending');
      await expect(requirePartner(publishableKey)).rejects.toMatchObject({ code: 'partner_disabled' });
    }
    expect(await approvePartner(approved.id)).toBe(true);
    expect(await declinePartner(declined.id)).toBe(true);
    expect((await requirePartner(approved.publishableKey)).id).toBe(approved.id);
    await expect(requirePartner(declined.publishableKey)).rejects.toMatchObject({ code: 'partner_disabled' });
    expect([await declinePartner(approved.id), await approvePartner(declined.id)]).toEqual([false, false]);
    await disablePartner(approved.id);
    expect(await approvePartner(approved.id)).toBe(false);
  });

  it('is refused where only the operator registers apps, and after twenty apps @attack', async () => {
    Object.assign(settings(), { PARTNER_SIGNUP: 'closed' });
    await expect(signUp()).rejects.toMatchObject({ code: 'invalid_request' });
    Object.assign(settings(), { PARTNER_SIGNUP: 'open' });
    const many = await Promise.allSettled(Array.from({ length: 25 }, () => signUp('many@example.com')));
    expect(many.filter(({ status }) => status === 'fulfilled')).toHaveLength(20);
    await expect(signUp('many@example.com')).rejects.toMatchObject({ code: 'invalid_request' });
  });

  it('cannot be completed without a review: enabling the app also approves it', async () => {
    Object.assign(settings(), { PARTNER_SIGNUP: 'approval' });
    const partner = await signUp();
    await expect(
      prisma().partner.update({ where: { id: partner.id }, data: { disabledAt: null } }),
    ).rejects.toThrow();
    await enablePartner(partner.id);
    expect((await findPartner(partner.id))?.review).toBe('approved');
  });
});

describe('the rate', () => {
  it('changes immediately or at a planned time, never earlier, and keeps its history', async () => {
    const start = now();
    setClock(() => start);
    const { id } = await newApp();
    await setPartnerRate(id, 3_000);
    await planPartnerRate(id, 4_000, new Date(start + 10 * MINUTE_MS));
    setClock(() => start + 10 * MINUTE_MS - SECOND_MS);
    await applyDueRates();
    expect(await rateOf(id)).toBe(3_000);
    setClock(() => start + 10 * MINUTE_MS);
    await Promise.all([applyDueRates(), applyDueRates(), applyDueRates()]);
    expect(await rateOf(id)).toBe(4_000);
    expect(await historyOf(id)).toEqual([4_000, 3_000, 2_500]);
    await setPartnerRate(id, 1_000);
    await applyDueRates();
    expect(await rateOf(id)).toBe(1_000);
  });

  it('has at most one planned change, which can be cancelled', async () => {
    const { id } = await newApp();
    await planPartnerRate(id, 4_000, new Date(now() + DAY_MS));
    await planPartnerRate(id, 5_000, new Date(now() + 2 * DAY_MS));
    expect(await historyOf(id)).toEqual([5_000, 2_500]);
    expect([await cancelPlannedRate(id), await cancelPlannedRate(id)]).toEqual([true, false]);
    expect(await historyOf(id)).toEqual([2_500]);
  });

  it.each([
    ['the past', -SECOND_MS],
    ['now', 0],
    ['two years from now', 2 * 365 * DAY_MS],
    ['an invalid time', Number.NaN],
  ])('cannot be planned for %s', async (_, aheadMs) => {
    const start = now();
    setClock(() => start);
    const { id } = await newApp();
    await expect(planPartnerRate(id, 100, new Date(start + aheadMs))).rejects.toMatchObject({
      param: 'effective_at',
    });
  });

  it('stays within the operator’s cap, which also lowers current and planned rates', async () => {
    const { id } = await newApp();
    await planPartnerRate(id, 9_000, new Date(now() + DAY_MS));
    await setRateCap(id, 2_000);
    expect(await historyOf(id)).toEqual([2_000, 2_000, 2_500]);
    expect(await rateOf(id)).toBe(2_000);
    await expect(setPartnerRate(id, 2_001)).rejects.toMatchObject({ param: 'rate' });
    await expect(planPartnerRate(id, 2_001, new Date(now() + DAY_MS))).rejects.toMatchObject({
      param: 'rate',
    });
    await setRateCap(id, 10_000);
    await setPartnerRate(id, 10_000);
    await expect(setPartnerRate(id, 10_001)).rejects.toMatchObject({ param: 'rate' });
  });
});

describe('the publishable key', () => {
  it('works for a day after its rotation, even if it is rotated again', async () => {
    const start = now();
    setClock(() => start);
    const { id, publishableKey: first } = await newApp();
    const { publishableKey: second } = await rotatePublishableKey(id);
    setClock(() => start + DAY_MS / 2);
    const { publishableKey: third } = await rotatePublishableKey(id);
    for (const key of [first, second, third]) expect((await findPartnerByKey(key))?.id).toBe(id);
    expect((await listRetiredKeys(id)).map((key) => key.publishableKey)).toEqual([second, first]);

    setClock(() => start + DAY_MS);
    expect(await findPartnerByKey(first)).toBeNull();
    expect((await findPartnerByKey(second))?.id).toBe(id);
    setClock(() => start + 2 * DAY_MS);
    expect(await findPartnerByKey(second)).toBeNull();
    expect((await findPartnerByKey(third))?.id).toBe(id);
  });

  it('of a disabled app is refused, even one retired before', async () => {
    const { id, publishableKey } = await newApp();
    await rotatePublishableKey(id);
    await disablePartner(id);
    await expect(requirePartner(publishableKey)).rejects.toMatchObject({ code: 'partner_disabled' });
  });
});

it('an app is visible only to the team of its owner, even after a transfer', async () => {
  const { id } = await newApp();
  const roleOf = async (email: string) => (await findMembership(email, id))?.role ?? null;
  expect(await roleOf('a@example.com')).toBeNull();
  await moveToOwner(id, 'a@example.com');
  expect(await roleOf('a@example.com')).toBe('owner');
  await moveToOwner(id, 'b@example.com');
  expect(await roleOf('a@example.com')).toBeNull();
  const appsOf = async (email: string) => (await listTeams(email)).flatMap(({ apps }) => apps);
  expect((await appsOf('b@example.com')).map((partner) => partner.id)).toEqual([id]);
  expect(await appsOf('a@example.com')).toEqual([]);
});
