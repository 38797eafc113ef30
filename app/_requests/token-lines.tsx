import type { ReceiptLine } from '@/server/reports/activity/user-receipt';
import { alignDecimals } from '../_ui/amount';

const NAMES: Record<ReceiptLine['unit'], string> = {
  input: 'Input',
  cache_read: 'Cached input',
  cache_write: 'Cache write',
  cache_write_1h: 'Cache write (1 hour)',
  output: 'Output',
  web_search: 'Web searches',
};

const CELL = 'px-3 py-3 first:pl-5 last:pr-5';

/** Tokens by class and calls of tools, with their price and cost. */
export function TokenLines({ lines, reasoningTokens }: { lines: ReceiptLine[]; reasoningTokens: number }) {
  // The price of a search is next to its name: the column is that of tokens.
  const tokenLines = lines.filter(({ unit }) => unit !== 'web_search');
  const prices = inOneColumn(tokenLines.map(({ price }) => price));
  const costs = inOneColumn(lines.map(({ cost }) => (cost === null ? null : writeExact(cost))));
  return (
    <table className="w-full border-collapse text-sm">
      <caption className="sr-only">Tokens and tools, their price and cost</caption>
      <thead>
        <tr className="border-b border-line text-[13px] text-muted">
          <th scope="col" className={`${CELL} text-left font-medium`}>
            Class
          </th>
          <th scope="col" className={`${CELL} text-right font-medium`}>
            Tokens
          </th>
          <th scope="col" className={`${CELL} text-right font-medium max-sm:hidden`}>
            USD per million
          </th>
          <th scope="col" className={`${CELL} text-right font-medium`}>
            Credits
          </th>
        </tr>
      </thead>
      <tbody className="tabular-nums">
        {lines.map(({ unit, count, price }, index) => (
          <tr key={unit} className="border-b border-line/70 last:border-0">
            <th scope="row" className={`${CELL} text-left font-normal`}>
              {NAMES[unit]}
              {unit === 'web_search' && price !== null && (
                <span className="block text-[13px] text-muted">{price} USD per 1,000</span>
              )}
              {unit === 'output' && reasoningTokens > 0 && (
                <span className="block text-[13px] text-muted">
                  {reasoningTokens.toLocaleString('en')} of which reasoning
                </span>
              )}
            </th>
            <td className={`${CELL} text-right`}>{count.toLocaleString('en')}</td>
            <td className={`${CELL} text-right max-sm:hidden`}>{prices[index]}</td>
            <td className={`${CELL} text-right`}>{costs[index]}</td>
          </tr>
        ))}
      </tbody>
    </table>
  );
}

/** A price version that is no longer known has no numbers at all. */
function inOneColumn(numbers: (string | null)[]): string[] {
  const known = numbers.filter((number) => number !== null);
  return known.length === numbers.length ? alignDecimals(known) : numbers.map((number) => number ?? '–');
}

const DECIMALS = 12;

/** Picocredits as decimal text, nothing rounded. */
function writeExact(picocredits: bigint): string {
  const digits = picocredits.toString().padStart(DECIMALS + 1, '0');
  const decimals = digits.slice(-DECIMALS).replace(/0{1,12}$/, '');
  return `${digits.slice(0, -DECIMALS)}${decimals && `.${decimals}`}`;
}
