import { DAY_MS, now } from '../../base/clock';
import { prisma } from '../../base/db';
import { describeError, log } from '../../base/log';
import { stripePayouts } from './stripe/processor';

/** The way from a payout account to the bank. It belongs to the payee: shown with the payout, and not booked. */

/** Stores how the account's newest payout to its bank went, with the last payout that was sent to it before. */
export async function refreshBankPayout(accountId: string): Promise<void> {
  const isKnown = await prisma().payout.findFirst({
    where: { processorAccountId: accountId, state: 'sent' },
    select: { id: true },
  });
  if (isKnown === null) return;
  const bank = await stripePayouts.readBankPayout(accountId);
  if (bank === null) return;
  // The processor's clock may be a little behind ours.
  await prisma().$executeRaw`
    UPDATE payout SET bank_state = ${bank.state}::text, bank_failure = ${bank.failure}::text
    WHERE state = 'sent' AND (bank_state, bank_failure) IS DISTINCT FROM (${bank.state}::text, ${bank.failure}::text)
      AND id = (
        SELECT id FROM payout
        WHERE processor_account_id = ${accountId} AND state = 'sent'
          AND sent_at <= ${bank.createdAt}::timestamptz + interval '5 minutes'
        ORDER BY sent_at DESC LIMIT 1)`;
}

const LONGEST_WAY_MS = 14 * DAY_MS;

/** What lost events would have reported. */
export async function sweepBankPayouts(): Promise<void> {
  const due = await prisma().payout.findMany({
    where: {
      state: 'sent',
      method: 'stripe',
      sentAt: { gte: new Date(now() - LONGEST_WAY_MS) },
      OR: [{ bankState: null }, { bankState: 'in_transit' }],
    },
    distinct: ['processorAccountId'],
    select: { processorAccountId: true },
  });
  for (const { processorAccountId } of due) {
    await refreshBankPayout(processorAccountId ?? '').catch((error: unknown) =>
      log().warn({ error: describeError(error) }, 'a bank payout was not read, will be retried'),
    );
  }
}
