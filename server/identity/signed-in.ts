import { creditsToJson, type Microcredits } from '../credits';
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

export function writeSignedIn({ userKey, keyId, appUserId, balance, status }: SignedIn): object {
  return {
    user_key: userKey,
    key_id: keyId,
    user_id: appUserId,
    balance: creditsToJson(balance),
    currency: 'credits',
    status,
  };
}
