import { readArguments, UNPARSED } from './tool-arguments';

/** What may come next in JSON. */
type Expected = 'value' | 'value or end' | 'key' | 'key or end' | 'colon' | 'comma or end';

/** The beginning of what stands for no arguments, or of an object. */
const OPENING = /^\s*(?:\{\s*(?:\}\s*)?|(?:n|nu|nul|null|""?)\s*)?$/;
const LONGEST_OPENING = 64;
const PLACEHOLDERS = /^(?:\s*(?:\{\s*\}|null|""))+(?=\s*\{)/;
const NONE = /^\s*(?:(?:null|"")\s*)?$/;
const WORD = /^(?:true|false|null|-?(?:0|[1-9]\d*)(?:\.\d+)?(?:[eE][+-]?\d+)?)$/;
const IN_WORD = /[\w+.-]/;
const ESCAPE = /^\\(?:["\\/bfnrt]|u[\da-fA-F]{4})$/;
const ESCAPE_BEGUN = /^\\(?:u[\da-fA-F]{0,3})?$/;
const LONGEST_WORD = 400;

/**
 * The arguments of a call as they arrive. They are one JSON object: what stands for none until the actual arguments
 * come is held back, and what follows the object is left out. For readers that parse them on the way, `isStrict` also
 * completes arguments that turn out to be no JSON, and adds the text to them.
 */
export class CallArguments {
  readonly #isStrict: boolean;
  /** As the provider sent them. */
  text = '';
  #held: string | null = '';
  #isObject = true;
  #isBroken = false;
  /** The brackets that are open. */
  #open: string[] = [];
  #expected: Expected = 'value';
  #isInString = false;
  /** A literal, a number or an escape that is not complete. */
  #pending = '';

  constructor({ isStrict = false } = {}) {
    this.#isStrict = isStrict;
  }

  /** The object is complete. */
  get isComplete(): boolean {
    const isOpen = this.#open.length > 0 || this.#expected !== 'comma or end';
    return this.#isObject && !this.#isBroken && !isOpen;
  }

  /** Nothing but what stands for no arguments has arrived. */
  get isEmpty(): boolean {
    return this.#held !== null && (NONE.test(this.#held) || this.#held.includes('}'));
  }

  /** Returns what can be sent on. */
  add(piece: string): string {
    this.text += piece;
    if (this.#held === null) return this.#read(piece);
    const held = (this.#held + piece).replace(PLACEHOLDERS, '');
    this.#held = held;
    if (held.length <= LONGEST_OPENING && OPENING.test(held)) return '';
    this.#held = null;
    this.#isObject = /^\s*\{/.test(held);
    return this.#read(held);
  }

  /** Returns the rest, at the end of the call. */
  end(): string {
    const held = this.#held ?? '';
    this.#held = null;
    if (held !== '') {
      this.#isObject = held.includes('{');
      return NONE.test(held) ? '' : this.#read(held) + this.end();
    }
    if (!this.#isStrict) return this.#takePending();
    if (!this.#isObject) return this.text === '' ? '' : JSON.stringify(readArguments(this.text));
    return this.#isBroken ? this.#complete() : '';
  }

  #takePending(): string {
    const pending = this.#pending;
    this.#pending = '';
    return pending;
  }

  #read(piece: string): string {
    if (this.isComplete) return '';
    if (!this.#isObject || this.#isBroken) return this.#isStrict ? '' : piece;
    // Pending characters are read again, with what completes them.
    const text = this.#takePending() + piece;
    let at = 0;
    while (at < text.length) {
      const next = this.#isInString ? this.#readString(text, at) : this.#readToken(text, at);
      if (next === null) {
        this.#isBroken = true;
        return this.#isStrict ? text.slice(0, at) : text;
      }
      if (next === at) {
        this.#pending = text.slice(at);
        return text.slice(0, at);
      }
      at = next;
      if (this.isComplete) return text.slice(0, at);
    }
    return text;
  }

  /** Returns the position after the next part of a string; the same one if it is not complete, null if it is wrong. */
  #readString(text: string, at: number): number | null {
    const code = text.charCodeAt(at);
    if (code === 0x22) {
      this.#isInString = false;
      return at + 1;
    }
    if (code < 0x20) return null;
    if (code === 0x5c) {
      const length = text[at + 1] === 'u' ? 6 : 2;
      const escaped = text.slice(at, at + length);
      if (ESCAPE.test(escaped)) return at + length;
      return ESCAPE_BEGUN.test(escaped) && at + length > text.length ? at : null;
    }
    let end = at + 1;
    for (; end < text.length; end++) {
      const next = text.charCodeAt(end);
      if (next === 0x22 || next === 0x5c || next < 0x20) break;
    }
    return end;
  }

  #readToken(text: string, at: number): number | null {
    const character = text[at] as string;
    if (/[ \t\n\r]/.test(character)) return at + 1;
    const expected = this.#expected;
    const isValue = expected === 'value' || expected === 'value or end';
    if (character === '"' && (isValue || expected === 'key' || expected === 'key or end')) {
      this.#isInString = true;
      this.#expected = isValue ? 'comma or end' : 'colon';
      return at + 1;
    }
    if (isValue && (character === '{' || character === '[')) {
      this.#open.push(character);
      this.#expected = character === '{' ? 'key or end' : 'value or end';
      return at + 1;
    }
    if (character === ':' && expected === 'colon') {
      this.#expected = 'value';
      return at + 1;
    }
    if (expected === 'comma or end' && character === ',') {
      this.#expected = this.#open.at(-1) === '{' ? 'key' : 'value';
      return at + 1;
    }
    if (expected.endsWith('end') && character === (this.#open.at(-1) === '{' ? '}' : ']')) {
      this.#open.pop();
      this.#expected = 'comma or end';
      return at + 1;
    }
    return isValue ? this.#readWord(text, at) : null;
  }

  #readWord(text: string, at: number): number | null {
    let end = at;
    while (end < text.length && IN_WORD.test(text[end] as string)) end++;
    if (end - at > LONGEST_WORD || end === at) return null;
    if (end === text.length) return at;
    if (!WORD.test(text.slice(at, end))) return null;
    this.#expected = 'comma or end';
    return end;
  }

  /** Closes what is open, up to the arguments themselves, which get the text as a further field. */
  #complete(): string {
    let closing = this.#isInString ? '"' : '';
    const isOuter = this.#open.length === 1;
    if (this.#expected === 'colon') closing += ':null';
    else if (this.#expected === 'value') closing += 'null';
    else if (this.#expected === 'key' && !isOuter) closing += '"":null';
    for (const bracket of this.#open.slice(1).reverse()) closing += bracket === '{' ? '}' : ']';
    const comma = isOuter && this.#expected.startsWith('key') ? '' : ',';
    return `${closing}${comma}${JSON.stringify(UNPARSED)}:${JSON.stringify(this.text)}}`;
  }
}

/** The arguments of a call that arrived at once. `warn` is called if they are not whole. */
export function readCallArguments(json: string, warn: () => void): string {
  const call = new CallArguments();
  const read = call.add(json) + call.end() || '{}';
  if (read !== '{}' && !call.isComplete) warn();
  return read;
}
