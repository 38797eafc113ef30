/** What a spreadsheet would take for a formula. */
const FORMULA = /^[=+\-@\t\r]/;
const NEEDS_QUOTES = /[",\r\n]/;

/** One line of comma-separated values. Text is kept from running as a formula; numbers stay numbers. */
export function writeCsvRow(cells: (string | number | boolean)[]): string {
  return `${cells.map(writeCell).join(',')}\r\n`;
}

function writeCell(value: string | number | boolean): string {
  if (typeof value !== 'string') return String(value);
  const text = FORMULA.test(value) && !isNumber(value) ? `'${value}` : value;
  return NEEDS_QUOTES.test(text) ? `"${text.replaceAll('"', '""')}"` : text;
}

const isNumber = (text: string): boolean => /^[+-]?\d+(\.\d+)?$/.test(text);
