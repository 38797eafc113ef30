/** A row of a CSV file by column name, with the line on which it begins. */
export type CsvRow = { line: number; cells: ReadonlyMap<string, string> };

/** The cells of every line; a quoted cell may contain commas, quotes and line breaks. */
const CELL = /("(?:[^"]|"")*"|[^",\r\n][^,\r\n]*|)(,|\r?\n|$)/y;

/** Reads comma-separated values whose first line names the columns. Empty lines are skipped. */
export function readCsv(text: string): { columns: string[]; rows: CsvRow[] } {
  const [header, ...lines] = [...splitLines(text.replace(/^\uFEFF/, ''))];
  const columns = (header?.cells ?? []).map((name) => name.trim());
  return {
    columns,
    rows: lines.map(({ line, cells }) => ({
      line,
      cells: new Map(columns.map((name, i) => [name, cells[i] ?? ''])),
    })),
  };
}

function* splitLines(text: string): Generator<{ line: number; cells: string[] }> {
  const pattern = new RegExp(CELL);
  let [line, start] = [1, 1];
  let cells: string[] = [];
  while (pattern.lastIndex < text.length) {
    const match = pattern.exec(text);
    if (match === null)
      throw new Error(`line ${line}: expected a comma or the end of the line after a quote`);
    const [all, cell = '', end] = match;
    cells.push(cell.startsWith('"') ? cell.slice(1, -1).replaceAll('""', '"') : cell);
    line += all.split('\n').length - 1;
    if (end === ',' && pattern.lastIndex < text.length) continue;
    if (cells.some((some) => some !== '')) yield { line: start, cells };
    [cells, start] = [[], line];
  }
}
