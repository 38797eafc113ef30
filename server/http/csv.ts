import { downloadResponse } from './download';

/** Text that a spreadsheet would evaluate as a formula. */
const FORMULA = /^[=+\-@\t\r]/;
const NEEDS_QUOTES = /[",\r\n]/;

export type CsvCell = string | number | boolean;

/** One line of comma-separated values. Escapes text that would run as a formula; numbers stay numbers. */
export function writeCsvRow(cells: readonly CsvCell[]): string {
  return `${cells.map(writeCell).join(',')}\r\n`;
}

function writeCell(value: CsvCell): string {
  if (typeof value !== 'string') return String(value);
  const text = FORMULA.test(value) && !isNumber(value) ? `'${value}` : value;
  return NEEDS_QUOTES.test(text) ? `"${text.replaceAll('"', '""')}"` : text;
}

const isNumber = (text: string): boolean => /^[+-]?\d+(\.\d+)?$/.test(text);

/** A download of comma-separated values. */
export function csvResponse(
  fileName: string,
  header: readonly string[],
  portions: AsyncGenerator<CsvCell[][]>,
): Promise<Response> {
  return downloadResponse({
    fileName,
    contentType: 'text/csv; charset=utf-8',
    head: writeCsvRow(header),
    texts: writeRows(portions),
  });
}

async function* writeRows(portions: AsyncGenerator<CsvCell[][]>): AsyncGenerator<string> {
  for await (const rows of portions) yield rows.map(writeCsvRow).join('');
}
