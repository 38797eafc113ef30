import { instanceNumber } from '../base/env';

/**
 * Writes a text for people. Standard output carries only the log, one event per line. Of several instances, only their
 * primary writes such texts.
 */
export function showMessage(text: string): void {
  if (instanceNumber() === undefined) process.stderr.write(text);
}
