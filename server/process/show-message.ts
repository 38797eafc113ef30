/** Writes a text for people. Standard output carries only the log, one event per line. */
export function showMessage(text: string): void {
  process.stderr.write(text);
}
