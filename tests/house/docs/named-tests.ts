import { existsSync, readFileSync } from 'node:fs';

export type NamedTest = { file: string; title: string };

/** The tests that the rows of a table name, as in `tests/a.test.ts`: “title”. */
export function readNamedTests(rows: string[]): NamedTest[] {
  return rows.flatMap((row) =>
    [...row.matchAll(/`([\w./-]+\.(?:test|spec)\.ts)`: “(.+?)”/g)].map(([, file = '', title = '']) => ({
      file,
      title,
    })),
  );
}

export const findMissingTests = (named: NamedTest[]): NamedTest[] =>
  named.filter(({ file, title }) => !existsSync(file) || !hasTitle(file, title));

/** The title must be a complete string, so that part of a title does not match. */
function hasTitle(file: string, title: string): boolean {
  const source = readFileSync(file, 'utf8');
  return [`'${title}'`, `"${title}"`, `\`${title}\``].some((quoted) => source.includes(quoted));
}
