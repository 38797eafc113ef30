/** What a spreadsheet would take for a formula. */
const FORMULA = /^[=+\-@\t\r]/;
const NEEDS_QUOTES = /[",\r\n]/;

export type CsvCell = string | number | boolean;

/** One line of comma-separated values. Text is kept from running as a formula; numbers stay numbers. */
export function writeCsvRow(cells: readonly CsvCell[]): string {
  return `${cells.map(writeCell).join(',')}\r\n`;
}

function writeCell(value: CsvCell): string {
  if (typeof value !== 'string') return String(value);
  const text = FORMULA.test(value) && !isNumber(value) ? `'${value}` : value;
  return NEEDS_QUOTES.test(text) ? `"${text.replaceAll('"', '""')}"` : text;
}

const isNumber = (text: string): boolean => /^[+-]?\d+(\.\d+)?$/.test(text);

/**
 * A file to download, written as it is read: a year of rows never stands in memory. Reads on only as
 * fast as the browser takes it, and stops when it leaves. What fails at once still has a status.
 */
export async function csvResponse(
  fileName: string,
  header: readonly string[],
  portions: AsyncGenerator<CsvCell[][]>,
): Promise<Response> {
  const encoder = new TextEncoder();
  let first: IteratorResult<CsvCell[][]> | undefined = await portions.next();
  const body = new ReadableStream<Uint8Array>({
    start(controller) {
      controller.enqueue(encoder.encode(writeCsvRow(header)));
    },
    async pull(controller) {
      const { value, done } = first ?? (await portions.next());
      first = undefined;
      if (done) controller.close();
      else controller.enqueue(encoder.encode(value.map(writeCsvRow).join('')));
    },
    async cancel() {
      await portions.return(undefined);
    },
  });
  return new Response(body, {
    headers: {
      'content-type': 'text/csv; charset=utf-8',
      'content-disposition': `attachment; filename="${fileName}"`,
      'cache-control': 'no-store',
    },
  });
}
