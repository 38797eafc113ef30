/** Credits in a column: as many decimals in each row, never rounded up. */
export function inColumn(credits: number, decimals = 2): string {
  const scale = 10 ** decimals;
  return new Intl.NumberFormat('en', {
    minimumFractionDigits: decimals,
    maximumFractionDigits: decimals,
  }).format(Math.floor(credits * scale + 1e-6) / scale);
}

const DECIMALS = 4;
const SMALLEST = 10 ** -DECIMALS;

/** What one request moves: few digits would hide it, and nothing that was charged looks free. */
export function inSmallCredits(credits: number): string {
  return credits > 0 && credits < SMALLEST ? `< ${SMALLEST}` : inColumn(credits, DECIMALS);
}
