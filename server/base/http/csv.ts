import { downloadResponse } from './download';

/** Text that a spreadsheet would evaluate as a formula, also if its first character is full-width. */
const FORMULA = /^[=+\-@\t\r\n]/;
/** Without it, spreadsheets read UTF-8 as another encoding. */
const BYTE_ORDER_MARK = '\ufeff';
const NEEDS_QUOTES = /[",\r\n]/;

export type CsvCell = string | number | boolean;

/** One line of comma-separated values. Escapes text that would run as a formula; numbers stay numbers. */
export function writeCsvRow(cells: readonly CsvCell[]): string {
  return `${cells.map(writeCell).join(',')}\r\n`;
}

function writeCell(value: CsvCell): string {
  if (typeof value !== 'string') return String(value);
  const isFormula = FORMULA.test(value.slice(0, 1).normalize('NFKC'));
  const text = isFormula && !isNumber(value) ? `'${value}` : value;
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
    head: BYTE_ORDER_MARK + writeCsvRow(header),
    texts: writeRows(portions),
  });
}

async function* writeRows(portions: AsyncGenerator<CsvCell[][]>): AsyncGenerator<string> {
  for await (const rows of portions) yield rows.map(writeCsvRow).join('');
}
