import type { ModelPrices } from '../../gateway/pricing/cost';
import type { CorrectionDue } from '../../ledger';
import { costAt, findOvercharge, readReceipts, type Span } from './read-receipts';

/**
 * The requests that a wrong price version made too expensive. A cost that the provider reported does not depend on it.
 */
export async function* findWrongPrices(
  span: Span,
  wrongVersion: string,
  prices: Omit<ModelPrices, 'automaticCacheWrites'>,
): AsyncGenerator<CorrectionDue[]> {
  for await (const receipts of readReceipts(span, wrongVersion))
    yield receipts
      .filter(({ costReported }) => !costReported)
      .flatMap((receipt) => findOvercharge(receipt, costAt(receipt, prices)) ?? []);
}
