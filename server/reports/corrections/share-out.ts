/**
 * Shares an amount out in proportion to the weights, in integers that add up to it (largest remainder). Equal remainders
 * are served in order, so the same input has the same result. The amount is at most the sum of the weights.
 */
export function shareOut(amount: bigint, weights: readonly bigint[]): bigint[] {
  const total = weights.reduce((sum, weight) => sum + weight, 0n);
  if (total === 0n) return weights.map(() => 0n);
  const shares = weights.map((weight) => (amount * weight) / total);
  const left = amount - shares.reduce((sum, share) => sum + share, 0n);
  const byRemainder = weights
    .map((weight, at) => ({ at, remainder: (amount * weight) % total }))
    .sort((a, b) => Number(b.remainder > a.remainder) - Number(b.remainder < a.remainder) || a.at - b.at);
  for (const { at } of byRemainder.slice(0, Number(left))) shares[at] = (shares[at] ?? 0n) + 1n;
  return shares;
}
