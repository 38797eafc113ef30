import { chargeFor } from '@/server/base/credits';
import { capture, type Hold, release } from '@/server/ledger';
import { receipt } from './receipt';
import { buy, exactly, hold, newWallet, type Wallet } from './wallets';

/** The steps of a request, for tests of limits. */

/** What a request gets: the credits that it holds, or the refusal with its limit and reset. */
export async function ask(wallet: Wallet, app: string, want: number, need = 0): Promise<number | string> {
  const admission = await hold(wallet, app, want, need);
  if (admission.ok) {
    await release(admission.hold);
    return Number(admission.hold.amount) / 1e6;
  }
  if (!admission.limit) return admission.refusal;
  const { kind, scope, resetsAt } = admission.limit;
  return [kind, scope, resetsAt?.toISOString().slice(0, 16)].filter(Boolean).join(' ');
}

export async function place(wallet: Wallet, app: string, want: number): Promise<Hold> {
  const admission = await hold(wallet, app, want);
  if (!admission.ok) throw new Error(`refused: ${admission.refusal}`);
  return admission.hold;
}

export const charge = (held: Hold, credits: number) =>
  capture(held, chargeFor(exactly(credits), held.rateBp), receipt());

export const spend = async (wallet: Wallet, app: string, credits: number) =>
  charge(await place(wallet, app, credits), credits);

/** A user with 1,000 credits in each of two apps. */
export async function rich(): Promise<Wallet> {
  const wallet = await newWallet(['A', 'B']);
  await buy(wallet, 'A', 1_000);
  await buy(wallet, 'B', 1_000);
  return wallet;
}
