import { HOUR_MS, now, nowDate } from '../base/clock';
import { type Microcredits, ZERO } from '../base/credits';
import { inTransaction, prisma } from '../base/db';
import { newPublishableKey } from '../base/tokens';
import { readSpendable } from '../ledger';
import { openAppUser } from './app-users';
import { mintUserKey } from './keys/mint';
import { lockLiveSession } from './sessions';

/**
 * The playground of the account is an app of the service, without a commission: the user lets it spend credits, finds it
 * among the apps, and limits or stops it there. It has no origins, so no page can open a checkout for it.
 */

export const PLAYGROUND_ID = 'prt_playground';

const KEY_LIFETIME_MS = 12 * HOUR_MS;

export type Started = { userKey: string };

/** What the playground can spend of the user's credits. */
export async function readPlaygroundBalance(userId: string): Promise<Microcredits> {
  const isOpen = await prisma().userApp.count({ where: { userId, partnerId: PLAYGROUND_ID } });
  return isOpen === 0 ? ZERO : (await readSpendable(userId, PLAYGROUND_ID)).balance;
}

/** Opens the playground for a user. False if the operator has disabled it. */
export async function openPlayground(userId: string): Promise<boolean> {
  return inTransaction(async (tx) => {
    await tx.partner.createMany({
      data: {
        id: PLAYGROUND_ID,
        name: 'Playground',
        nameApprovedAt: nowDate(),
        publishableKey: newPublishableKey(),
      },
      skipDuplicates: true,
    });
    const { disabledAt } = await tx.partner.findUniqueOrThrow({ where: { id: PLAYGROUND_ID } });
    if (disabledAt === null) await openAppUser(tx, { userId, partnerId: PLAYGROUND_ID });
    return disabledAt === null;
  });
}

/** For a user who has opened it. Mints a key that ends with the device's session, or by itself. Null if the device is signed out by now. */
export async function mintPlaygroundKey(userId: string, sessionId: string): Promise<Started | null> {
  return inTransaction(async (tx) => {
    const session = await lockLiveSession(tx, sessionId);
    if (session === null) return null;
    const expiresAt = new Date(now() + KEY_LIFETIME_MS);
    const { userKey } = await mintUserKey(tx, { userId, partnerId: PLAYGROUND_ID, session, expiresAt });
    return { userKey };
  });
}
