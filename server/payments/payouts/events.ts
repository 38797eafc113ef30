import { prisma } from '../../base/db';
import { refreshAccount } from './accounts';
import { refreshBankPayout } from './bank-payouts';
import { stripePayouts } from './stripe/processor';
import { refreshTransfer } from './transfers';

/**
 * Handles an event of the processor about a payee or a transfer. It only says where to look; the state is read from
 * the processor. False if it is about anything else. Failures are thrown, so that the processor retries the event.
 */
export async function acceptPayoutEvent(body: string, signature: string | null): Promise<boolean> {
  const event = stripePayouts.readEvent(body, signature);
  if (event === null) return false;
  if (event.about === 'bank_payout') await refreshBankPayout(event.accountId);
  if (event.about === 'account') await refreshAccountAt(event.accountId);
  if (event.about === 'transfer') await refreshTransfer(event.transferId);
  return true;
}

/** An account that no team has is not ours, or was replaced. */
async function refreshAccountAt(processorAccountId: string): Promise<void> {
  const account = await prisma().payoutAccount.findUnique({ where: { processorAccountId } });
  if (account !== null) await refreshAccount(account.teamId);
}
