/** Handles JSON as text, where it must not be changed. */

const QUOTE = 0x22;
const BACKSLASH = 0x5c;
const BRACKET = 0x5b;
const BRACE = 0x7b;
/** From an opening character to the closing one. */
const TO_CLOSING = 2;

export type Nesting = { containers: number; depth: number };

/** Counts the objects and lists in JSON, and how deep they are nested, until either exceeds its limit. */
export function measureNesting(json: string, limit: Nesting): Nesting {
  let [containers, depth, open] = [0, 0, 0];
  for (let at = 0; at < json.length && containers <= limit.containers && depth <= limit.depth; at++) {
    const code = json.charCodeAt(at);
    if (code === QUOTE) at = endOfString(json, at);
    else if (code === BRACKET || code === BRACE) {
      containers++;
      if (++open > depth) depth = open;
    } else if (code === BRACKET + TO_CLOSING || code === BRACE + TO_CLOSING) open--;
  }
  return { containers, depth };
}

/** Deeper JSON is not read: `JSON.stringify` overflows the stack at some 4,000 levels. */
const MAX_DEPTH = 1_000;
const NO_DEEPER = { containers: Number.POSITIVE_INFINITY, depth: MAX_DEPTH };

/** Whether JSON is nested too deep to be written again. */
export const isTooDeep = (json: string): boolean =>
  json.length > 2 * MAX_DEPTH && measureNesting(json, NO_DEEPER).depth > MAX_DEPTH;

const STRING_OR_NUMBER = /"|-?\d+(?:\.\d+)?(?:[eE][+-]?\d+)?/g;

/** Replaces each number in JSON for which `write` returns a text. */
export function replaceNumbers(json: string, write: (number: string) => string | null): string {
  let replaced = '';
  let copied = 0;
  STRING_OR_NUMBER.lastIndex = 0;
  for (let match = STRING_OR_NUMBER.exec(json); match; match = STRING_OR_NUMBER.exec(json)) {
    const [token] = match;
    const written = token === '"' ? null : write(token);
    if (token === '"') STRING_OR_NUMBER.lastIndex = endOfString(json, match.index) + 1;
    if (written === null) continue;
    replaced += json.slice(copied, match.index) + written;
    copied = match.index + token.length;
  }
  return replaced + json.slice(copied);
}

/** Longer numbers are not compared. */
const MAX_NUMBER_LENGTH = 64;
const NUMBER = /^(-?)(\d+)(?:\.(\d+))?(?:e([+-]?\d+))?$/i;

/** Whether JavaScript writes a JSON number with the same value, though maybe in another form. */
export function keepsDigits(number: string): boolean {
  if (number.length > MAX_NUMBER_LENGTH) return false;
  const value = Number(number);
  return !Object.is(value, -0) && toPlain(number) === toPlain(String(value));
}

/** Sign, digits without zeros at either end, and the power of ten. */
function toPlain(number: string): string {
  const [, sign = '', whole = '', fraction = '', exponent = '0'] = NUMBER.exec(number) ?? [];
  const digits = `${whole}${fraction}`.replace(/^0+/, '');
  let end = digits.length;
  while (digits[end - 1] === '0') end--;
  const significant = digits.slice(0, end);
  const power = Number(exponent) - fraction.length + digits.length - significant.length;
  return significant === '' ? '0' : `${sign}${significant}e${power}`;
}

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
