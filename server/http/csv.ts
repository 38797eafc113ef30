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

/**
 * A download, streamed while it is read, so that a year of rows never sits in memory. Reads only as
 * fast as the browser consumes it and stops when the client disconnects. A failure on the first
 * read still produces an error status.
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
