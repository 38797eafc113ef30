import type { Microcredits } from '../base/credits';
import { readSpendable, type Spendable } from '../ledger';
import type { MintedKey } from './keys/mint';

/** The response to an app when one of its users has signed in. */
export type SignedIn = MintedKey & {
  balance: Microcredits;
  status: Spendable['status'];
};

/** Call this after the transaction that mints the key: the balance is read on another connection. */
export async function describeSignIn(key: MintedKey, userId: string, partnerId: string): Promise<SignedIn> {
  const { balance, status } = await readSpendable(userId, partnerId);
  return { ...key, balance, status };
}
