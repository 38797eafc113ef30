import { wholeCredits } from '@/server/base/credits';
import { inTransaction } from '@/server/base/db';
import { newId } from '@/server/base/ids';
import { createPartner } from '@/server/partners/partner';
import { openAppUser } from '@/server/people/app-users';
import { mintUserKey } from '@/server/people/keys/mint';
import { openUser } from '@/server/people/users';
import { bookPaidSession } from './purchases';

export type Person = {
  userId: string;
  partnerId: string;
  publishableKey: string;
  userKey: string;
  keyId: string;
};

/** A partner, one of its users with a live key, and credits bought inside the app. */
export async function newPerson({ credits = 0, rateBp = 2500 } = {}): Promise<Person> {
  const partner = await createPartner({ name: 'Test app', rateBp, origins: [] });
  return inTransaction(async (tx) => {
    const { id: userId } = await openUser(tx, `${newId('usr').toLowerCase()}@example.com`);
    await openAppUser(tx, { userId, partnerId: partner.id });
    const { userKey, keyId } = await mintUserKey(tx, { userId, partnerId: partner.id, session: null });
    if (credits > 0) {
      await bookPaidSession(tx, {
        userId,
        partnerId: partner.id,
        credits: wholeCredits(credits),
        sessionId: newId('cks'),
      });
    }
    return { userId, partnerId: partner.id, publishableKey: partner.publishableKey, userKey, keyId };
  });
}
