import { DAY_MS, HOUR_MS, now } from '../../base/clock';
import { inTransaction, prisma, type Tx } from '../../base/db';
import { describeError, log } from '../../base/log';
import { returnPayout } from '../../ledger';
import { recordTeamAction } from '../../partners/audit-log';
import type { ProcessorTransfer } from './payout-processor';
import { noteSent } from './send';
import { stripePayouts } from './stripe/processor';

/**
 * Transfers that were taken back at the processor. A whole one is booked back. The books cannot record part of
 * a payout, so a transfer that was taken back in part is only noted, and an operator takes back the rest.
 */

export async function refreshTransfer(transferId: string): Promise<void> {
  const transfer = await stripePayouts.readTransfer(transferId);
  if (transfer !== null) await noteReversal(transfer);
}

async function noteReversal(transfer: ProcessorTransfer): Promise<void> {
  const { payoutId, transferId, accountId, amountMinor, reversedMinor } = transfer;
  if (payoutId === null || reversedMinor === 0) return;
  const payout = await prisma().payout.findUnique({ where: { id: payoutId } });
  if (payout === null || payout.processorAccountId !== accountId) return;
  // The response to the transfer is still awaited, or was lost.
  if (payout.state === 'sending') await noteSent(payoutId, transferId);
  if (reversedMinor === amountMinor) await bookBack(payout.teamId, { payoutId, transferId });
  else
    await prisma().payout.updateMany({
      where: { id: payoutId, state: 'sent', processorTransferId: transferId },
      data: { reversedMinor },
    });
}

async function bookBack(teamId: string, { payoutId, transferId }: Record<'payoutId' | 'transferId', string>) {
  await inTransaction(async (tx) => {
    const where = { id: payoutId, processorTransferId: transferId };
    if ((await tx.payout.count({ where })) === 0) return;
    const reason = await findAskedReason(tx, payoutId);
    const failure = reason ?? 'Its transfer was reversed in Stripe’s dashboard';
    if (!(await returnPayout({ payoutId, from: ['sent'], to: 'returned', failure }, tx))) return;
    const actor = reason === null ? 'service' : 'operator';
    const states = { before: { state: 'sent' }, after: { state: 'returned' } };
    await recordTeamAction(tx, { teamId, actor, what: 'payout.reversed', subject: payoutId, ...states });
  });
}

/** The reason of an operator who reverses it now: the event can arrive before they book it themselves. */
async function findAskedReason(tx: Tx, subject: string): Promise<string | null> {
  const asked = await tx.auditEntry.findFirst({
    where: { teamId: null, subject, what: 'payout.reverse_asked', at: { gte: new Date(now() - HOUR_MS) } },
    orderBy: { id: 'desc' },
  });
  return asked?.reason ?? null;
}

const LOOKED_BACK_MS = 40 * DAY_MS;

/** What lost events would have reported. */
export async function sweepTransfers(): Promise<void> {
  const from = new Date(now() - LOOKED_BACK_MS);
  const sent = await prisma().payout.count({
    where: { state: 'sent', method: 'stripe', sentAt: { gte: from } },
  });
  if (sent === 0) return;
  // The processor's clock may be ahead of ours.
  const to = new Date(now() + HOUR_MS);
  for await (const transfer of stripePayouts.listTransfers({ from, to })) {
    await noteReversal(transfer).catch((error: unknown) =>
      log().warn(
        { payout_id: transfer.payoutId, error: describeError(error) },
        'a reversed transfer was not booked, will be retried',
      ),
    );
  }
}
