import { describe, expect, it } from 'vitest';
import { describeSpending } from '@/app/(account)/account/(skeleton)/apps/describe-spending';
import { nowDate } from '@/server/base/clock';
import { inTransaction, prisma } from '@/server/base/db';
import { writeTypedLimits } from '@/server/base/typed-limits';
import { ALL_APPS, readLimits } from '@/server/ledger';
import { findAppOfUser } from '@/server/people/apps-of-user';
import { findStopOfAllApps, resumeApps, saveUserLimits, stopApps } from '@/server/people/user-limits';
import { newDatabase } from '../../harness';
import { buyIn, joinApp, newUser, recordRequest } from './person';

await newDatabase();

/** A user who spent 1.25 credits today, in an app with 100. */
async function newSpender() {
  const userId = await newUser();
  const { partnerId } = await joinApp(userId, 'Notes');
  await buyIn(userId, partnerId, 100);
  await recordRequest(userId, { partnerId, at: nowDate().toISOString() });
  const reason = async () => {
    const app = await findAppOfUser(userId, partnerId);
    if (app === null) throw new Error('The user does not use the app');
    return describeSpending(app);
  };
  return { userId, partnerId, reason };
}

type Amounts = Partial<Record<'day' | 'week' | 'month', string>>;

const limit = (userId: string, partnerId: string, amounts: Amounts) =>
  saveUserLimits(userId, partnerId, { ...writeTypedLimits(null), ...amounts, zone: 'Asia/Tokyo' });

describe('the reason why an app cannot spend', () => {
  it('names who stopped it and when, and nothing once it is resumed', async () => {
    const { userId, partnerId, reason } = await newSpender();
    expect(await reason()).toEqual({ look: 'positive', word: 'Can spend', reason: null });
    await stopApps({ userId, partnerId });
    const { stoppedAt } = await prisma().spendingLimit.findFirstOrThrow({ where: { userId } });
    const ofApp = { text: 'You stopped this app on', at: stoppedAt?.toISOString() };
    expect(await reason()).toEqual({ look: 'warning', word: 'Stopped', reason: ofApp });
    expect(await findStopOfAllApps(userId)).toBeNull();
    await stopApps({ userId, partnerId: ALL_APPS });
    expect(await findStopOfAllApps(userId)).toEqual(expect.any(Date));
    expect(await reason()).toEqual({ look: 'warning', word: 'Stopped', reason: null });
    await resumeApps({ userId, partnerId: ALL_APPS });
    expect(await findStopOfAllApps(userId)).toBeNull();
    expect((await reason()).reason).toEqual(ofApp);
    await resumeApps({ userId, partnerId });
    expect((await reason()).word).toBe('Can spend');
  });

  it('names the limit that lasts longest, whose it is, how high it is and when it resets', async () => {
    const { userId, partnerId, reason } = await newSpender();
    await limit(userId, ALL_APPS, { day: '1.25' });
    const resetOf = async (scope: string, period: 'day' | 'month') => {
      const { limits } = await readLimits(userId);
      return limits.find((one) => one.partnerId === scope)?.used[period].resetsAt.toISOString();
    };
    expect(await reason()).toEqual({
      look: 'warning',
      word: 'Limited',
      reason: {
        text: 'Your limit for all apps, 1.25 credits per day, is reached. It resets on',
        at: await resetOf(ALL_APPS, 'day'),
      },
    });
    await limit(userId, partnerId, { day: '0.5', month: '1' });
    expect((await reason()).reason).toEqual({
      text: 'Your limit for this app, 1 credit per month, is reached. It resets on',
      at: await resetOf(partnerId, 'month'),
    });
  });

  it('names the app for a limit that the app set', async () => {
    const { userId, partnerId, reason } = await newSpender();
    const { appUserId } = await prisma().userApp.findFirstOrThrow({ where: { userId, partnerId } });
    await inTransaction(
      (tx) =>
        tx.$executeRaw`INSERT INTO partner_limit (partner_id, app_user_id, ceiling, per_day)
        VALUES (${partnerId}, ${appUserId}, false, 1000000)`,
    );
    await prisma()
      .$executeRaw`UPDATE user_app SET spent_on = ledger_today(), day_spent = 1250000, month_spent = 1250000
      WHERE user_id = ${userId} AND partner_id = ${partnerId}`;
    expect((await reason()).reason).toEqual({
      text: 'The limit that Notes set, 1 credit per day, is reached. It resets on',
      at: expect.stringMatching(/T00:00:00\.000Z$/),
    });
  });
});

describe('a limit or an allowance', () => {
  it('above the maximum is refused with the maximum, however long it is', async () => {
    const { userId, partnerId } = await newSpender();
    for (const day of ['99999999999', '1'.repeat(40)])
      expect(await limit(userId, partnerId, { day })).toEqual({
        field: 'day',
        message: 'Enter at most 100,000,000 credits, or leave it empty for no limit.',
      });
    expect(await limit(userId, partnerId, { day: 'many' })).toMatchObject({
      message: expect.stringContaining('above zero'),
    });
    expect(await limit(userId, partnerId, { day: '100,000,000' })).toBeNull();
  });
});
