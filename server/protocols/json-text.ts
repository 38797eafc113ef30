/** Handles JSON as text, where it must not be changed. */

/** The index of the closing quote of the string that begins at `start`, or the end of the text. */
export function endOfString(json: string, start: number): number {
  for (let quote = json.indexOf('"', start + 1); quote >= 0; quote = json.indexOf('"', quote + 1)) {
    let before = quote;
    while (json[before - 1] === '\\') before--;
    if ((quote - before) % 2 === 0) return quote;
  }
  return json.length;
}
