/**
 * Generates the inputs on which a regular expression takes longest: for each of its parts, what leads to the part,
 * the part again and again, and an end that matches nothing. Backtracking and repeated starts both come from
 * such repetitions.
 */

type Node =
  | { kind: 'literal'; text: string }
  | { kind: 'set'; samples: readonly string[] }
  | { kind: 'sequence'; items: readonly Node[] }
  | { kind: 'choice'; options: readonly Node[] }
  | { kind: 'repeat'; body: Node; min: number }
  /** A lookaround: takes no characters. */
  | { kind: 'look'; body: Node };

const ALPHABET = [...'az09AZ_ \n\r\t/.@:"\'<>{}[]()-+=,;\\&#%*`|~!?^$éßЯ中\u0301\u2028\0'];
const SAMPLES = 4;

/** A repeated word, with what comes before and after it. */
export type Pump = { before: string; word: string; after: string };

export function* worstInputs(source: string, flags: string): Generator<Pump> {
  // Without the flag, an emoji is two characters.
  const own = flags.includes('u') ? ['😀', ...source] : source.split('');
  const alphabet = [...new Set([...ALPHABET, ...own])];
  const sets = new Map<string, string[]>();
  parse(source, { flags, alphabet, sets });
  const accepted = (character: string): number =>
    [...sets.values()].filter((samples) => samples.includes(character)).length;
  // What several parts accept can be read in several ways, so it comes first.
  for (const samples of sets.values()) samples.sort((a, b) => accepted(b) - accepted(a));
  const tree = parse(source, { flags, alphabet, sets });
  const byRarity = [...alphabet].sort((a, b) => accepted(a) - accepted(b));
  const rarest = byRarity[0] ?? '';
  const wide = [...sets.values()].filter((samples) => samples.length > 2);
  const refused = wide.map((samples) => byRarity.find((one) => !samples.includes(one)) ?? '');
  const ends = [...new Set([rarest, `a\n${rarest}`, ...refused])];
  const seen = new Set<string>();
  for (const [before, word] of [...pumps(tree, ''), ...GENERIC.map((one) => ['', one] as const)]) {
    for (const start of new Set([before, ''])) {
      for (const repeated of new Set([word, before + word])) {
        const key = JSON.stringify([start, repeated]);
        if (seen.has(key)) continue;
        seen.add(key);
        for (const after of ends) yield { before: start, word: repeated, after };
      }
    }
  }
}

const GENERIC = [
  ...ALPHABET,
  'a@',
  'a.',
  '.a',
  '-a',
  'a b',
  '1,',
  '""',
  '\r\n',
  '\n ',
  '[]',
  '{}',
  '<>',
  '\\"',
  '&a',
];

/** Each part that can be repeated, with what leads to it. */
function* pumps(node: Node, before: string): Generator<[before: string, word: string]> {
  switch (node.kind) {
    case 'literal':
      yield [before, node.text];
      return;
    case 'set':
      for (const sample of node.samples) yield [before, sample];
      return;
    case 'look':
      yield* pumps(node.body, before);
      return;
    case 'choice':
      for (const option of node.options) yield* pumps(option, before);
      return;
    case 'repeat':
      for (let variant = 0; variant < SAMPLES; variant++) yield [before, sampleOf(node.body, variant)];
      yield* pumps(node.body, before);
      return;
    case 'sequence': {
      const { items } = node;
      for (let from = 0; from < items.length; from++) {
        const lead = before + sampleAll(items.slice(0, from), 0);
        yield* pumps(items[from] as Node, lead);
        for (let to = from + 2; to <= Math.min(items.length, from + LONGEST_WINDOW); to++) {
          for (const variant of [0, 1]) yield [lead, sampleAll(items.slice(from, to), variant)];
        }
        if (from > 0) yield ['', sampleAll(items.slice(0, from + 1), 0)];
      }
    }
  }
}
const LONGEST_WINDOW = 3;

const sampleAll = (items: readonly Node[], variant: number): string =>
  items.map((item) => sampleOf(item, variant)).join('');

/** A short text that the part matches. */
function sampleOf(node: Node, variant: number): string {
  switch (node.kind) {
    case 'literal':
      return node.text;
    case 'set':
      return node.samples[variant % Math.max(1, node.samples.length)] ?? '';
    case 'sequence':
      return sampleAll(node.items, variant);
    case 'choice':
      return sampleOf(node.options[variant % node.options.length] as Node, variant);
    case 'repeat':
      return sampleOf(node.body, variant).repeat(Math.min(Math.max(node.min, 1), 300));
    case 'look':
      return '';
  }
}

const CLASS = String.raw`\[(?:\\.|[^\]\\])*\]`;
const ESCAPE = String.raw`\\(?:[pP]\{[^}]*\}|u\{[^}]*\}|u[0-9a-fA-F]{4}|x[0-9a-fA-F]{2}|.)`;
const ATOM = new RegExp(`${CLASS}|${ESCAPE}|.`, 'suy');
const QUANTIFIER = /(?:[*+?]|\{(\d+)(?:,\d*)?\})\??/y;
const GROUP = /\((?:\?(?:(?<look>=|!|<=|<!)|:|<\w+>))?/y;

type Sets = {
  flags: string;
  alphabet: readonly string[];
  /** The characters that each part accepts, by the text of the part. */
  sets: Map<string, string[]>;
};

function parse(source: string, { flags, alphabet, sets }: Sets): Node {
  const setFlags = flags.replace(/[gy]/g, '');
  let at = 0;
  const read = (pattern: RegExp): RegExpExecArray | null => {
    pattern.lastIndex = at;
    const match = pattern.exec(source);
    at += match?.[0].length ?? 0;
    return match;
  };
  const readChoice = (): Node => {
    const options = [readSequence()];
    while (source[at] === '|') {
      at++;
      options.push(readSequence());
    }
    return options.length === 1 ? (options[0] as Node) : { kind: 'choice', options };
  };
  const readSequence = (): Node => {
    const items: Node[] = [];
    while (at < source.length && source[at] !== '|' && source[at] !== ')') items.push(readItem());
    return { kind: 'sequence', items: joinLiterals(items) };
  };
  const readItem = (): Node => {
    const body = source[at] === '(' ? readGroup() : readSet();
    const quantifier = read(QUANTIFIER);
    if (quantifier === null) return body;
    return { kind: 'repeat', body, min: Number(quantifier[1] ?? 0) };
  };
  const readGroup = (): Node => {
    const look = read(GROUP)?.groups?.look;
    const body = readChoice();
    at++;
    return look === undefined ? body : { kind: 'look', body };
  };
  const readSet = (): Node => {
    const text = read(ATOM)?.[0] ?? '';
    if (isAssertion(text)) return { kind: 'set', samples: [] };
    const samples = sets.get(text) ?? matching(text, setFlags, alphabet);
    sets.set(text, samples);
    if (samples.length <= 2) return { kind: 'literal', text: samples[0] ?? '' };
    return { kind: 'set', samples: [...new Set([...samples.slice(0, SAMPLES - 1), ...samples.slice(-1)])] };
  };
  return readChoice();
}

/** Makes one word of the letters of a word, as far as none of them is repeated. */
function joinLiterals(items: readonly Node[]): Node[] {
  const joined: Node[] = [];
  for (const item of items) {
    const last = joined.at(-1);
    if (item.kind === 'literal' && last?.kind === 'literal')
      joined[joined.length - 1] = { kind: 'literal', text: last.text + item.text };
    else joined.push(item);
  }
  return joined;
}

const isAssertion = (atom: string): boolean => /^(?:\^|\$|\\[bB\d])$/.test(atom);

function matching(atom: string, flags: string, alphabet: readonly string[]): string[] {
  const pattern = new RegExp(`^${atom}$`, flags);
  return alphabet.filter((character) => pattern.test(character));
}
