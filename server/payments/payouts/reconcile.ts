import type { Payout } from '../../../prisma/client/client';
import { HOUR_MS } from '../../base/clock';
import { prisma } from '../../base/db';
import type { ProcessorTransfer } from './payout-processor';
import { stripePayouts } from './stripe/processor';

/** A payout that the processor and the database describe differently. */
export type PayoutDifference = { payoutId: string; transferId: string | null; what: string };

type Period = { from: Date; to: Date };

/** Compares the processor's transfers that began in a period with the payouts sent in it. */
export async function reconcilePayouts(
  period: Period,
): Promise<{ compared: number; foreign: number; differences: PayoutDifference[] }> {
  const transfers = new Map<string, ProcessorTransfer[]>();
  let foreign = 0;
  for await (const transfer of stripePayouts.listTransfers(widen(period))) {
    const { payoutId } = transfer;
    if (payoutId === null) foreign++;
    else transfers.set(payoutId, [...(transfers.get(payoutId) ?? []), transfer]);
  }
  const payouts = await prisma().payout.findMany({
    where: {
      OR: [
        { id: { in: [...transfers.keys()] } },
        { method: 'stripe', sentAt: { gte: period.from, lt: period.to } },
      ],
    },
  });
  const known = new Map(payouts.map((payout) => [payout.id, payout]));
  const differences = [...transfers].flatMap(([payoutId, made]) =>
    compare(payoutId, made, known.get(payoutId)),
  );
  const missing = payouts
    .filter(({ id }) => !transfers.has(id))
    .map(({ id, processorTransferId: transferId }) => ({
      payoutId: id,
      transferId,
      what: 'sent here, but not transferred by Stripe',
    }));
  return { compared: payouts.length, foreign, differences: [...differences, ...missing] };
}

/** The processor's transfer begins a moment before it is recorded here. */
const widen = ({ from, to }: Period): Period => ({
  from: new Date(from.getTime() - HOUR_MS),
  to: new Date(to.getTime() + HOUR_MS),
});

function compare(
  payoutId: string,
  transfers: ProcessorTransfer[],
  payout: Payout | undefined,
): PayoutDifference[] {
  return transfers.flatMap((transfer) => {
    const { transferId } = transfer;
    const what = payout === undefined ? 'the payout is unknown here' : describeDifference(transfer, payout);
    return what === null ? [] : [{ payoutId, transferId, what: `transferred, but ${what}` }];
  });
}

const MICROCREDITS_PER_CENT = 1_000_000n;

function describeDifference(transfer: ProcessorTransfer, payout: Payout): string | null {
  const { amountMinor, currency, accountId, reversedMinor } = transfer;
  const expected = payout.amount / MICROCREDITS_PER_CENT;
  if (currency !== 'usd' || BigInt(amountMinor) !== expected)
    return `${amountMinor} ${currency} instead of ${expected} usd`;
  if (accountId !== payout.processorAccountId)
    return `to ${accountId} instead of ${payout.processorAccountId}`;
  if (reversedMinor > 0 && payout.state !== 'returned')
    return `reversed there${reversedMinor < amountMinor ? ' in part' : ''}, and ${payout.state} here`;
  if (reversedMinor === amountMinor) return null;
  // A response that is still awaited, or was lost: the payout is looked up before it is sent again.
  if (payout.state === 'sending') return null;
  if (payout.state !== 'sent') return `${payout.state} here`;
  return payout.processorTransferId === transfer.transferId
    ? null
    : `recorded here as ${payout.processorTransferId}`;
}
