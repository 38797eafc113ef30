import { inflateSync } from 'node:zlib';

/**
 * The pages and the text of a PDF, as a provider extracts them. It follows references from the root instead
 * of searching for markers, and has nothing in common with the code that it checks. Pages and forms that are
 * referenced several times count several times.
 */

type Name = { name: string };
type Reference = { object: number };
type Dictionary = Map<string, Value>;
type Value = string | number | Name | Reference | Value[] | Dictionary | null;
type Stored = { value: Value; streamAt: number | null };

export type ReadPdf = { pages: number; text: string };

const MOST_PAGES = 5_000;
const MOST_TEXT = 8_000_000;
const HEADER_WITHIN = 1_024;

/** Null when it is not a PDF. */
export function readPdf(file: Buffer): ReadPdf | null {
  if (file.subarray(0, HEADER_WITHIN).indexOf('%PDF') < 0) return null;
  return new Reader(file).read();
}

class Reader {
  private readonly objects = new Map<number, Stored>();
  private readonly contents = new Map<Stored, string>();
  private readonly bytes: string;
  private text = '';

  constructor(file: Buffer) {
    this.bytes = file.toString('latin1');
    for (const { index, 0: head, 1: number } of this.bytes.matchAll(/(\d+)\s+\d+\s+obj\b/g)) {
      const lexer = new Lexer(this.bytes, index + head.length);
      const value = lexer.value();
      this.objects.set(Number(number), { value, streamAt: lexer.streamStart() });
    }
    for (const stored of [...this.objects.values()])
      if (this.nameOf(stored.value, 'Type') === 'ObjStm') this.unpack(stored);
  }

  read(): ReadPdf {
    const catalog = [...this.objects.values()].findLast(
      ({ value }) => this.nameOf(value, 'Type') === 'Catalog',
    );
    const pages: Dictionary[] = [];
    if (catalog) this.walk(this.get(catalog.value, 'Pages'), pages, 0);
    for (const page of pages) this.readPage(page);
    return { pages: pages.length, text: this.text };
  }

  private unpack(stored: Stored): void {
    const content = this.content(stored);
    const [count, first] = [this.get(stored.value, 'N'), this.get(stored.value, 'First')];
    const index = new Lexer(content, 0);
    for (let n = 0; n < Number(count); n++) {
      const [number, offset] = [index.value(), index.value()];
      const value = new Lexer(content, Number(first) + Number(offset)).value();
      this.objects.set(Number(number), { value, streamAt: null });
    }
  }

  private walk(node: Value, pages: Dictionary[], depth: number): void {
    if (!(node instanceof Map) || depth > 30 || pages.length >= MOST_PAGES) return;
    const kids = this.get(node, 'Kids');
    if (!Array.isArray(kids)) return void pages.push(node);
    for (const kid of kids) this.walk(this.resolve(kid), pages, depth + 1);
  }

  private readPage(page: Dictionary): void {
    const contents = page.get('Contents') ?? null;
    const resolved = this.resolve(contents);
    const parts = Array.isArray(resolved) ? resolved : [contents];
    const program = parts.map((part) => this.contentOf(part)).join('\n');
    this.run(program, this.get(page, 'Resources'), 0);
  }

  /** Appends the strings that a content stream shows, and those of the forms that it draws. */
  private run(program: string, resources: Value, depth: number): void {
    if (depth > 12) return;
    const lexer = new Lexer(program, 0);
    let operands: Value[] = [];
    for (let item = lexer.item(); item !== undefined; item = lexer.item()) {
      if (this.text.length > MOST_TEXT) return;
      if (!('operator' in item)) {
        operands.push(item.value);
        continue;
      }
      if (SHOWS.has(item.operator)) this.text += `${operands.map(shown).join('')}\n`;
      if (item.operator === 'Do') this.draw(operands[0] ?? null, resources, depth);
      operands = [];
    }
  }

  private draw(name: Value, resources: Value, depth: number): void {
    const form = isName(name) ? this.reference(this.get(resources, 'XObject'), name.name) : null;
    const stored = form === null ? undefined : this.objects.get(form);
    if (!stored || this.nameOf(stored.value, 'Subtype') !== 'Form') return;
    this.run(this.content(stored), this.get(stored.value, 'Resources') ?? resources, depth + 1);
  }

  private contentOf(part: Value): string {
    const stored = isReference(part) ? this.objects.get(part.object) : undefined;
    return stored ? this.content(stored) : '';
  }

  private content(stored: Stored): string {
    const known = this.contents.get(stored);
    if (known !== undefined) return known;
    const content = this.decode(stored);
    this.contents.set(stored, content);
    return content;
  }

  private decode({ value, streamAt }: Stored): string {
    if (streamAt === null) return '';
    const filters = [this.get(value, 'Filter')].flat().map((filter) => (isName(filter) ? filter.name : ''));
    const bytes = Buffer.from(this.bytes.slice(streamAt), 'latin1');
    const end = this.bytes.indexOf('endstream', streamAt);
    if (filters[0] === '') return this.bytes.slice(streamAt, end);
    let plain: Buffer = bytes;
    try {
      for (const filter of filters) if (/^Fl(ateDecode)?$/.test(filter)) plain = inflateSync(plain);
    } catch {
      return '';
    }
    return plain.toString('latin1');
  }

  private resolve(value: Value): Value {
    return isReference(value) ? (this.objects.get(value.object)?.value ?? null) : value;
  }

  private get(dictionary: Value, key: string): Value {
    const resolved = this.resolve(dictionary);
    return resolved instanceof Map ? this.resolve(resolved.get(key) ?? null) : null;
  }

  private reference(dictionary: Value, key: string): number | null {
    const value = dictionary instanceof Map ? dictionary.get(key) : null;
    return value !== undefined && isReference(value) ? value.object : null;
  }

  private nameOf(dictionary: Value, key: string): string | null {
    const value = dictionary instanceof Map ? dictionary.get(key) : null;
    return value !== undefined && isName(value) ? value.name : null;
  }
}

/** The operators that show text. */
const SHOWS = new Set(['Tj', 'TJ', "'", '"']);

const isName = (value: Value): value is Name =>
  typeof value === 'object' && value !== null && 'name' in value;
const isReference = (value: Value): value is Reference =>
  typeof value === 'object' && value !== null && 'object' in value;

function shown(value: Value): string {
  if (typeof value === 'string') return value;
  return Array.isArray(value) ? value.map(shown).join('') : '';
}

type Item = { value: Value } | { operator: string };

/** Reads the values of PDF syntax. */
class Lexer {
  constructor(
    private readonly text: string,
    private at: number,
  ) {}

  value(): Value {
    const item = this.item();
    return item && 'value' in item ? item.value : null;
  }

  /** The position of the stream after a dictionary. */
  streamStart(): number | null {
    const found = /^\s*stream\r?\n/.exec(this.text.slice(this.at, this.at + 40));
    return found ? this.at + found[0].length : null;
  }

  /** Undefined at the end, and at the end of an array or dictionary. */
  item(): Item | undefined {
    this.skip();
    const next = this.text[this.at];
    if (next === undefined || next === ']') return undefined;
    if (this.text.startsWith('>>', this.at)) return undefined;
    if (this.text.startsWith('<<', this.at)) return { value: this.dictionary() };
    if (next === '(') return { value: this.string() };
    if (next === '<') return { value: this.hex() };
    if (next === '[') return { value: this.array() };
    if (next === '/') return { value: { name: this.word(1).replace(/#([0-9a-f]{2})/gi, unescape16) } };
    return this.numberOrOperator();
  }

  private skip(): void {
    const blank = /(?:[\s\0]|%[^\r\n]*)*/y;
    blank.lastIndex = this.at;
    this.at += blank.exec(this.text)?.[0].length ?? 0;
  }

  private word(from: number): string {
    const regular = /[^\s\0()<>[\]{}/%]*/y;
    regular.lastIndex = this.at + from;
    const word = regular.exec(this.text)?.[0] ?? '';
    this.at += from + word.length;
    return word;
  }

  private numberOrOperator(): Item {
    const reference = /(\d+)\s+\d+\s+R(?![A-Za-z])/y;
    reference.lastIndex = this.at;
    const found = reference.exec(this.text);
    if (found) {
      this.at += found[0].length;
      return { value: { object: Number(found[1]) } };
    }
    const word = this.word(0);
    if (word === '') this.at++;
    return /^[-+.\d]/.test(word) ? { value: Number(word) } : { operator: word };
  }

  private array(): Value[] {
    this.at++;
    const values: Value[] = [];
    for (let item = this.item(); item !== undefined; item = this.item())
      if ('value' in item) values.push(item.value);
    this.at++;
    return values;
  }

  private dictionary(): Dictionary {
    this.at += 2;
    const entries: Dictionary = new Map();
    for (let key = this.item(); key !== undefined; key = this.item()) {
      const value = this.value();
      if ('value' in key && isName(key.value)) entries.set(key.value.name, value);
    }
    this.at += 2;
    return entries;
  }

  private string(): string {
    let depth = 0;
    let text = '';
    for (; this.at < this.text.length; this.at++) {
      const next = this.text[this.at] as string;
      if (next === '\\') {
        text += this.text[++this.at] ?? '';
        continue;
      }
      if (next === '(' && depth++ === 0) continue;
      if (next === ')' && --depth === 0) break;
      text += next;
    }
    this.at++;
    return text;
  }

  private hex(): string {
    const found = this.text.indexOf('>', this.at);
    const end = found < 0 ? this.text.length : found;
    const digits = this.text.slice(this.at + 1, end).replace(/\s/g, '');
    this.at = end + 1;
    return Buffer.from(digits, 'hex').toString('latin1');
  }
}

const unescape16 = (_: string, digits: string): string => String.fromCharCode(Number.parseInt(digits, 16));
