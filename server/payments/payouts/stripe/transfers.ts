import Stripe from 'stripe';
import { hasCode, idOf, isMissing, stripe } from '../../checkout/stripe/client';
import type {
  PayoutDestination,
  ProcessorTransfer,
  ReversalOutcome,
  TransferOutcome,
} from '../payout-processor';
import { isWithoutAccess } from './accounts';

const CURRENCY = 'usd';

/** A refusal by Stripe is returned; a failure that may have moved money is thrown. */
export async function transfer({
  payoutId,
  accountId,
  amountMinor,
  attempt,
}: PayoutDestination & { amountMinor: number; attempt: number }): Promise<TransferOutcome> {
  try {
    const { id } = await stripe().transfers.create(
      {
        amount: amountMinor,
        currency: CURRENCY,
        destination: accountId,
        transfer_group: groupOf(payoutId),
        metadata: { payout: payoutId },
      },
      // Stripe repeats its response to a key for a day, also that money is missing.
      { idempotencyKey: attempt === 1 ? groupOf(payoutId) : `${groupOf(payoutId)}_${attempt}` },
    );
    return { kind: 'sent', transferId: id };
  } catch (error) {
    if (hasCode(error, 'balance_insufficient')) return { kind: 'waiting_for_balance' };
    if (isRefusal(error)) return { kind: 'refused', failure: describeRefusal(error) };
    throw error;
  }
}

const GROUP = 'payout_';
const groupOf = (payoutId: string): string => GROUP + payoutId;

const CONFLICT = 409;

/**
 * Stripe has several codes for an account that cannot receive; none of them moved money. A conflict is none: another
 * request with the same key is still in progress, and may succeed.
 */
const isRefusal = (error: unknown): error is Stripe.errors.StripeError =>
  hasCode(error, 'account_invalid') ||
  (error instanceof Stripe.errors.StripeInvalidRequestError && error.statusCode !== CONFLICT);

/** With what to do. Stripe's own words may name the account. */
function describeRefusal(error: Stripe.errors.StripeError): string {
  if (isWithoutAccess(error))
    return 'The payout account no longer exists, or is no longer connected. Set up a new one, then try again.';
  return /capabilit|transfers_not_allowed/.test(error.code ?? '')
    ? 'The payout account cannot receive money now. Complete what Stripe asks for, then try again.'
    : `Stripe refused the transfer: ${error.message}`;
}

export async function findTransfer({ payoutId, accountId }: PayoutDestination): Promise<string | null> {
  const { data } = await stripe().transfers.list({
    destination: accountId,
    transfer_group: groupOf(payoutId),
    limit: 1,
  });
  return data[0]?.id ?? null;
}

const PAGE_SIZE = 100;

export async function* listTransfers({
  from,
  to,
}: {
  from: Date;
  to: Date;
}): AsyncGenerator<ProcessorTransfer> {
  const [gte, lt] = [from, to].map((time) => Math.floor(time.getTime() / 1000)) as [number, number];
  for await (const each of stripe().transfers.list({ created: { gte, lt }, limit: PAGE_SIZE }))
    yield describeTransfer(each);
}

export async function readTransfer(transferId: string): Promise<ProcessorTransfer | null> {
  try {
    return describeTransfer(await stripe().transfers.retrieve(transferId));
  } catch (error) {
    if (isMissing(error)) return null;
    throw error;
  }
}

const describeTransfer = (transfer: Stripe.Transfer): ProcessorTransfer => ({
  transferId: transfer.id,
  payoutId: transfer.transfer_group?.startsWith(GROUP) ? transfer.transfer_group.slice(GROUP.length) : null,
  amountMinor: transfer.amount,
  currency: transfer.currency,
  accountId: idOf(transfer.destination),
  reversedMinor: transfer.amount_reversed,
});

export async function reverseTransfer({
  payoutId,
  transferId,
}: {
  payoutId: string;
  transferId: string;
}): Promise<ReversalOutcome> {
  const { reversed } = await stripe().transfers.retrieve(transferId);
  if (reversed) return { kind: 'reversed' };
  try {
    // All that is left of it: a second reversal finds nothing, so it needs no key of its own.
    await stripe().transfers.createReversal(transferId, { metadata: { payout: payoutId } });
    return { kind: 'reversed' };
  } catch (error) {
    if (!isRefusal(error)) throw error;
    const isDone = (await stripe().transfers.retrieve(transferId)).reversed;
    return isDone ? { kind: 'reversed' } : { kind: 'refused', failure: error.message };
  }
}
