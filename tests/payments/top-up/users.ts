import { nowDate } from '@/server/base/clock';
import { wholeCredits } from '@/server/base/credits';
import { inTransaction, pool, prisma } from '@/server/base/db';
import { newId } from '@/server/base/ids';
import { OUTSIDE_ANY_APP, openWallet } from '@/server/ledger';
import { bookPaidSession } from '../../harness/purchases';
import { newUser } from '../../people/account/person';

/** Users with auto top-up. */

export const TERMS = { threshold: 500, currency: 'usd', amountMinor: 1_000, ceilingMinor: 5_000 } as const;

export async function newTopUpUser(terms: Partial<typeof TERMS> = {}): Promise<string> {
  const userId = await newUser();
  await buy(userId, 1);
  await turnOn(userId, terms);
  return userId;
}

/** Writes the row as turning it on does, with a card that no processor knows. */
export async function turnOn(userId: string, terms: Partial<typeof TERMS> = {}): Promise<void> {
  const { threshold, ...money } = { ...TERMS, ...terms };
  await prisma().autoTopUp.create({
    data: {
      userId,
      state: 'on',
      threshold: wholeCredits(threshold),
      ...money,
      cardId: 'pm_1',
      cardBrand: 'visa',
      cardLast4: '4242',
      consentId: 'cns_1',
      updatedAt: nowDate(),
    },
  });
}

export const buy = (userId: string, credits: number) =>
  inTransaction(async (tx) => {
    await openWallet(tx, userId);
    return bookPaidSession(tx, {
      userId,
      partnerId: OUTSIDE_ANY_APP,
      sessionId: newId('cks'),
      credits: wholeCredits(credits),
    });
  });

/** Sets what the wallet says, without a booking. */
export const setMoney = (userId: string, credits: number) =>
  pool().query('UPDATE wallet SET money = $2 WHERE user_id = $1', [userId, wholeCredits(credits).toString()]);

export const readTopUp = (userId: string) => prisma().autoTopUp.findUniqueOrThrow({ where: { userId } });

/** The checkout session of the top-up in progress, as it ends. */
export async function endSession(userId: string, status: 'completed' | 'failed', failure: string | null) {
  const { sessionId, currency, amountMinor } = await readTopUp(userId);
  await prisma().checkoutSession.create({
    data: {
      id: sessionId ?? '',
      userId,
      partnerId: OUTSIDE_ANY_APP,
      status,
      currency,
      amountMinor,
      failure,
      rate: 1,
      credits: wholeCredits(amountMinor),
      method: 'auto_top_up',
      createdAt: nowDate(),
      expiresAt: nowDate(),
    },
  });
}
