import type { Picocredits } from '../../base/credits';
import { findPrices } from '../../gateway/pricing/price-history';
import type { CorrectionDue } from '../../ledger';
import { type ChargedReceipt, costAt, findOvercharge, readReceipts, type Span } from './read-receipts';

/** Receipts with a price version that is not known cannot be computed again. */
export type Uncheckable = { count: number };

/**
 * The requests that were charged more than their own receipt says: its tokens at its price version, or the cost that the
 * provider reported, with its commission. `ledger check` reports the same requests, and those that were charged less.
 */
export async function* findWrongReceipts(
  span: Span,
  uncheckable: Uncheckable,
): AsyncGenerator<CorrectionDue[]> {
  const costOfReceipt = rememberPrices();
  for await (const receipts of readReceipts(span, null)) {
    const dues: CorrectionDue[] = [];
    for (const receipt of receipts) {
      const exact = await costOfReceipt(receipt);
      if (exact === null) uncheckable.count++;
      const due = exact === null ? null : findOvercharge(receipt, exact);
      if (due !== null) dues.push(due);
    }
    yield dues;
  }
}

const PICOCREDITS_PER_MICROCREDIT = 1_000_000n;

/** Null if the price version is not known. A reported cost was rounded up once; the user is not charged for that twice. */
function rememberPrices(): (receipt: ChargedReceipt) => Promise<Picocredits | null> {
  const known = new Map<string, Awaited<ReturnType<typeof findPrices>>>();
  return async (receipt) => {
    if (receipt.costReported) return (receipt.providerCost * PICOCREDITS_PER_MICROCREDIT) as Picocredits;
    const { priceVersion } = receipt;
    if (!known.has(priceVersion)) known.set(priceVersion, await findPrices(priceVersion));
    const prices = known.get(priceVersion);
    return prices ? costAt(receipt, prices) : null;
  };
}
