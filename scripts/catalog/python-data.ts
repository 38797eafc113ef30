/**
 * Reads Python source that consists of data: calls with literals, such as `Model(id='a', price=Decimal('1'))`.
 * A call becomes an object of its keyword arguments, with its name in `type` and the others in `args`.
 */

export type PythonValue = string | number | boolean | null | PythonValue[] | PythonObject;
export type PythonObject = { [name: string]: PythonValue };

const TOKEN =
  /\s+|#[^\n]*|(?<text>'(?:[^'\\\n]|\\.)*'|"(?:[^"\\\n]|\\.)*")|(?<number>-?\d+(?:\.\d+)?)|(?<name>[A-Za-z_][\w.]*)|(?<mark>[()[\]{},=:])/suy;

type Token = { kind: 'text' | 'number' | 'name' | 'mark'; text: string; at: number };

/** Reads the value assigned to a variable, such as `providers: list[Provider] = [...]`. */
export function readPythonVariable(source: string, name: string): PythonValue {
  const match = new RegExp(`^${name}\\b[^=\\n]*= *`, 'm').exec(source);
  if (match === null) throw new Error(`expected the variable ${name}`);
  return new Reader(source, match.index + match[0].length).readValue();
}

const CONSTANTS: Record<string, PythonValue> = { None: null, True: true, False: false };

class Reader {
  private readonly tokens: Generator<Token, void>;
  private next: Token | undefined;

  constructor(
    private readonly source: string,
    start: number,
  ) {
    this.tokens = split(source, start);
    this.step();
  }

  readValue(): PythonValue {
    const token = this.step();
    if (token.kind === 'text') return this.readText(token);
    if (token.kind === 'number') return Number(token.text);
    if (token.kind === 'name') return this.readNamed(token.text);
    if (token.text === '[' || token.text === '(') return this.readItems(token.text === '[' ? ']' : ')');
    if (token.text === '{') return this.readDictionary();
    throw this.unexpected(token, 'a value');
  }

  /** Neighbouring texts are one. */
  private readText(first: Token): string {
    let text = unquote(first.text);
    while (this.next?.kind === 'text') text += unquote(this.step().text);
    return text;
  }

  private readNamed(name: string): PythonValue {
    if (this.next?.text !== '(') return name in CONSTANTS ? (CONSTANTS[name] ?? null) : name;
    this.step();
    const call: PythonObject & { args: PythonValue[] } = { type: name, args: [] };
    while (!this.isAt(')')) {
      const value = this.readValue();
      if (typeof value === 'string' && this.isAt('=')) {
        this.step();
        call[value] = this.readValue();
      } else call.args.push(value);
      this.skipComma(')');
    }
    this.step();
    return call;
  }

  private readItems(end: string): PythonValue[] {
    const items: PythonValue[] = [];
    while (!this.isAt(end)) {
      items.push(this.readValue());
      this.skipComma(end);
    }
    this.step();
    return items;
  }

  private readDictionary(): PythonObject {
    const entries: PythonObject = {};
    while (!this.isAt('}')) {
      const key = String(this.readValue());
      this.expect(':');
      entries[key] = this.readValue();
      this.skipComma('}');
    }
    this.step();
    return entries;
  }

  private isAt = (mark: string): boolean => this.next?.text === mark;

  private skipComma(end: string): void {
    if (!this.isAt(end)) this.expect(',');
  }

  private expect(mark: string): void {
    const token = this.step();
    if (token.text !== mark) throw this.unexpected(token, `"${mark}"`);
  }

  private step(): Token {
    const token = this.next;
    this.next = this.tokens.next().value ?? undefined;
    return token ?? { kind: 'mark', text: '', at: this.source.length };
  }

  private unexpected({ text, at }: Token, expected: string): Error {
    const line = this.source.slice(0, at).split('\n').length;
    return new Error(`line ${line}: expected ${expected}, not "${text}"`);
  }
}

function* split(source: string, start: number): Generator<Token, void> {
  TOKEN.lastIndex = start;
  const pattern = new RegExp(TOKEN);
  pattern.lastIndex = start;
  for (let match = pattern.exec(source); match !== null; match = pattern.exec(source)) {
    const [kind, text] = Object.entries(match.groups ?? {}).find(([, part]) => part !== undefined) ?? [];
    if (kind !== undefined && text !== undefined)
      yield { kind: kind as Token['kind'], text, at: match.index };
  }
}

const ESCAPES: Record<string, string> = { n: '\n', t: '\t', r: '\r' };

const unquote = (quoted: string): string =>
  quoted.slice(1, -1).replace(/\\(.)/gs, (_all, letter: string) => ESCAPES[letter] ?? letter);
