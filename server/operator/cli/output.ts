/** Plain text for people: short lines, aligned columns. */

const GAP = '  ';

export function alignColumns(rows: readonly (readonly string[])[]): string {
  const widths: number[] = [];
  for (const row of rows)
    row.forEach((cell, column) => (widths[column] = Math.max(widths[column] ?? 0, cell.length)));
  return rows
    .map((row) =>
      row
        .map((cell, column) => cell.padEnd(widths[column] ?? 0))
        .join(GAP)
        .trimEnd(),
    )
    .join('\n');
}

/** `label  value` lines. */
export function alignFacts(facts: Readonly<Record<string, string>>): string {
  return alignColumns(Object.entries(facts));
}

export function oneLine(text: string): string {
  return text
    .split('\n')
    .map((line) => line.trim())
    .filter((line) => line !== '')
    .join(' ');
}

const LINE_LENGTH = 80;

/** Lines of at most 80 characters. All but the first are indented by `hanging`. */
export function wrap(text: string, indent: string, hanging: string): string {
  const lines: string[] = [];
  let line = indent;
  for (const word of text.split(' ')) {
    const isFirst = line.trim() === '';
    if (!isFirst && line.length + 1 + word.length > LINE_LENGTH) {
      lines.push(line);
      line = hanging + word;
    } else line += isFirst ? word : ` ${word}`;
  }
  return [...lines, line].join('\n');
}
