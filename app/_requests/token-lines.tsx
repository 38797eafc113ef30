import { isPricedByMillion } from '@/server/gateway/pricing/list-price';
import type { UnitKind } from '@/server/gateway/protocols/neutral';
import type { ReceiptLine } from '@/server/reports/activity/user-receipt';
import { alignDecimals } from '../_ui/amount';

const NAMES: Record<ReceiptLine['unit'], string> = {
  input: 'Input',
  cache_read: 'Cached input',
  cache_write: 'Cache write',
  cache_write_1h: 'Cache write (1 hour)',
  output: 'Output',
  web_search: 'Web searches',
  input_unit: 'Other input',
  output_unit: 'Other output',
};

const UNIT_NAMES: Record<UnitKind, string> = {
  audio_token: 'Audio tokens',
  character: 'Characters',
  image: 'Images',
  image_token: 'Image tokens',
  page: 'Pages',
  query: 'Queries',
  second: 'Seconds',
  video_token: 'Video tokens',
};

const nameOf = ({ unit, kind }: ReceiptLine): string =>
  kind === null ? NAMES[unit] : `${UNIT_NAMES[kind]} (${unit === 'input_unit' ? 'input' : 'output'})`;

/** What is priced one by one has its price next to its name, because the column is that of a million. */
function priceNote({ unit, kind, price }: ReceiptLine): string | null {
  if (price === null) return null;
  if (unit === 'web_search') return `${price} USD per 1,000`;
  return kind === null || isPricedByMillion(kind) ? null : `${price} USD each`;
}

const CELL = 'px-3 py-3 first:pl-5 last:pr-5';

/** Tokens by class and calls of tools, with their price and cost. */
export function TokenLines({ lines, reasoningTokens }: { lines: ReceiptLine[]; reasoningTokens: number }) {
  const ofMillion = lines.filter((line) => priceNote(line) === null);
  const written = inOneColumn(ofMillion.map(({ price }) => price));
  const prices = new Map(ofMillion.map((line, index) => [line, written[index]]));
  const costs = inOneColumn(lines.map(({ cost }) => (cost === null ? null : writeExact(cost))));
  return (
    <table className="w-full border-collapse text-sm">
      <caption className="sr-only">Usage, its price and its cost</caption>
      <thead>
        <tr className="border-b border-line text-[13px] text-muted">
          <th scope="col" className={`${CELL} text-left font-medium`}>
            Class
          </th>
          <th scope="col" className={`${CELL} text-right font-medium`}>
            Amount
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
        {lines.map((line, index) => (
          <tr key={line.unit} className="border-b border-line/70 last:border-0">
            <th scope="row" className={`${CELL} text-left font-normal`}>
              {nameOf(line)}
              {priceNote(line) !== null && (
                <span className="block text-[13px] text-muted">{priceNote(line)}</span>
              )}
              {line.unit === 'output' && reasoningTokens > 0 && (
                <span className="block text-[13px] text-muted">
                  {reasoningTokens.toLocaleString('en')} of which reasoning
                </span>
              )}
            </th>
            <td className={`${CELL} text-right`}>{line.count.toLocaleString('en')}</td>
            <td className={`${CELL} text-right max-sm:hidden`}>{prices.get(line)}</td>
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
