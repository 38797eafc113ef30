import { z } from 'zod';
import { creditsToJson, type Microcredits } from '../credits';
import { spendStatusSchema } from '../http/balance-body';
import type { MintedKey } from '../keys/mint';
import { readSpendable } from '../ledger';

/** What an app learns when one of its users has signed in. */
export type SignedIn = MintedKey & {
  balance: Microcredits;
  status: 'ok' | 'insufficient_credits' | 'partner_not_permitted' | 'partner_limit_reached';
};

/** After the minting transaction: the balance is read on another connection. */
export async function describeSignIn(key: MintedKey, userId: string, partnerId: string): Promise<SignedIn> {
  const { balance, status } = await readSpendable(userId, partnerId);
  return { ...key, balance, status };
}

export const signedInSchema = z.object({
  user_key: z
    .string()
    .meta({ description: 'The key for requests of this user. Shown here and never again.' }),
  key_id: z.string().meta({ description: 'Names the key without being it: track keys by this.' }),
  user_id: z
    .string()
    .meta({ description: 'The user in this app: the same at every sign-in, another in every app.' }),
  balance: z.number().meta({ description: 'Credits that this app can spend for this user now.' }),
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
