import pg from 'pg';

/** What PostgreSQL rejected, and in which line of the script. */
export function explainSqlError(error: unknown, script: string): string {
  const message = error instanceof Error ? error.message : String(error);
  const position = error instanceof pg.DatabaseError ? error.position : undefined;
  if (position === undefined) return message;
  // PostgreSQL counts characters, not UTF-16 units.
  const line = [...script].slice(0, Number(position)).filter((character) => character === '\n').length + 1;
  return `${message} (line ${line})`;
}
