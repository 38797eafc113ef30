import { describe, expect, it } from 'vitest';
import { wholeCredits } from '@/server/base/credits';
import { inTransaction, prisma } from '@/server/base/db';
import { newId } from '@/server/base/ids';
import { checkLedger, openWallet, readPockets } from '@/server/ledger';
import { pauseAllowance, resumeAllowance, setAllowance } from '@/server/payments/checkout/allowance';
import { newDatabase } from '../../harness';
import { recordedEvents } from '../identity/app-world';
import { buyIn, joinApp, newUser } from './person';

await newDatabase();

async function newUserWithTwoApps() {
  const userId = await newUser();
  const [home, other] = [await joinApp(userId, 'Home'), await joinApp(userId, 'Other')];
  await buyIn(userId, home.partnerId, 500);
  const save = () => ({ userId, partnerId: other.partnerId, saveId: newId('req') });
  const pocket = async () =>
    (await readPockets(userId)).pockets.find(({ partnerId }) => partnerId === other.partnerId);
  const events = async () =>
    (await recordedEvents(other.partnerId))
      .filter(({ type }) => type === 'credits.added')
      .map(({ data }) => data);
  return { userId, save, pocket, events };
}

describe('an allowance that is', () => {
  it('paused lets the app spend no other credits, and is restored unchanged', async () => {
    const { save, pocket, events } = await newUserWithTwoApps();
    await setAllowance(save(), wholeCredits(300));
    expect(await pocket()).toMatchObject({ balance: 300_000_000n, status: 'ok' });
    expect(await pauseAllowance(save())).toMatchObject({
      grantedCredits: 0n,
      creditsAdded: 0n,
      balance: 0n,
    });
    expect(await pocket()).toMatchObject({
      balance: 0n,
      status: 'partner_not_permitted',
      allowanceSaved: null,
      allowancePaused: 300_000_000n,
    });
    expect(await resumeAllowance(save())).toMatchObject({
      grantedCredits: 300_000_000n,
      creditsAdded: 300_000_000n,
    });
    expect(await pocket()).toMatchObject({ balance: 300_000_000n, status: 'ok', allowancePaused: null });
    expect((await events()).map((data) => [data.type, data.granted_credits, data.credits_added])).toEqual(
      expect.arrayContaining([
        ['permission', 300, 300],
        ['permission', 0, 0],
        ['permission', 300, 300],
      ]),
    );
    expect(await events()).toHaveLength(3);
    expect((await checkLedger()).differences).toEqual([]);
  });

  it('saved again while paused can no longer be resumed', async () => {
    const { save, pocket } = await newUserWithTwoApps();
    await setAllowance(save(), wholeCredits(300));
    await pauseAllowance(save());
    await setAllowance(save(), wholeCredits(50));
    expect(await pocket()).toMatchObject({ allowanceLeft: 50_000_000n, allowancePaused: null });
    expect(await resumeAllowance(save())).toBeNull();
    await setAllowance(save(), null);
    expect(await pocket()).toMatchObject({ allowanceSaved: null, allowanceLeft: 0n, allowancePaused: null });
  });

  it('missing is neither paused nor resumed, and no event is recorded', async () => {
    const { save, events } = await newUserWithTwoApps();
    expect(await pauseAllowance(save())).toBeNull();
    expect(await resumeAllowance(save())).toBeNull();
    expect(await events()).toEqual([]);
  });

  it('paused several times in parallel is paused once and never lost', async () => {
    const { save, pocket } = await newUserWithTwoApps();
    await setAllowance(save(), wholeCredits(300));
    const outcomes = await Promise.all(Array.from({ length: 5 }, () => pauseAllowance(save())));
    expect(outcomes.filter((outcome) => outcome !== null)).toHaveLength(1);
    expect(await pocket()).toMatchObject({ allowancePaused: 300_000_000n });
    await Promise.all(Array.from({ length: 5 }, () => resumeAllowance(save())));
    expect(await pocket()).toMatchObject({ allowanceLeft: 300_000_000n, allowancePaused: null });
  });
});

describe('a wallet', () => {
  it('is opened once, before any app is used', async () => {
    const userId = await newUser();
    expect(await readPockets(userId)).toEqual({ money: 0n, held: 0n, pockets: [] });
    await Promise.all([1, 2, 3].map(() => inTransaction((tx) => openWallet(tx, userId))));
    expect((await readPockets(userId)).pockets).toMatchObject([{ partnerId: '', own: 0n }]);
    expect(await prisma().userApp.count({ where: { userId } })).toBe(1);
  });
});
