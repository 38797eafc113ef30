import { z } from 'zod';
import { creditsToJson, type Microcredits } from '../credits';
import { spendStatusSchema } from '../http/balance-body';
import type { MintedKey } from '../keys/mint';
import { readSpendable } from '../ledger';

/** What an app receives when one of its users has signed in. */
export type SignedIn = MintedKey & {
  balance: Microcredits;
  status: 'ok' | 'insufficient_credits' | 'partner_not_permitted' | 'partner_limit_reached';
};

/** Call this after the transaction that mints the key: the balance is read on another connection. */
export async function describeSignIn(key: MintedKey, userId: string, partnerId: string): Promise<SignedIn> {
  const { balance, status } = await readSpendable(userId, partnerId);
  return { ...key, balance, status };
}

export const signedInSchema = z.object({
  user_key: z.string().meta({ description: 'The key for this user’s requests. Returned only once.' }),
  key_id: z.string().meta({ description: 'The id of the key. Not secret: use it to track keys.' }),
  user_id: z.string().meta({
    description: 'The id of the user in this app. The same at every sign-in, and different in every app.',
  }),
  balance: z.number().meta({ description: 'Credits this app can spend for this user now.' }),
  currency: z.literal('credits'),
  status: spendStatusSchema,
});

export function writeSignedIn({
  userKey,
  keyId,
  appUserId,
  balance,
  status,
}: SignedIn): z.output<typeof signedInSchema> {
  return {
    user_key: userKey,
    key_id: keyId,
    user_id: appUserId,
    balance: creditsToJson(balance),
    currency: 'credits',
    status,
  };
}
