/** Handles JSON as text, where it must not be changed. */

const QUOTE = 0x22;
const BACKSLASH = 0x5c;

/** The index of the closing quote of the string that begins at `start`, or the end of the text. */
export function endOfString(json: string, start: number): number {
  const quote = json.indexOf('"', start + 1);
  if (quote === -1) return json.length;
  if (json.charCodeAt(quote - 1) !== BACKSLASH) return quote;
  // A search for each of many escaped quotes takes ten times as long.
  for (let at = start + 1; at < json.length; at++) {
    const code = json.charCodeAt(at);
    if (code === QUOTE) return at;
    if (code === BACKSLASH) at++;
  }
  return json.length;
}
