import fc from 'fast-check';

/** Valid JSON, changed at random: wrong types, missing and duplicate fields, numbers and texts at every limit, broken syntax. */

export type Json = null | boolean | number | string | Json[] | { [name: string]: Json };

/** Text that is written as it is: numbers and nesting that no value of JavaScript has. */
const raw = (text: string): string => `raw\u0001${text}\u0001`;

const TEXTS = [
  '',
  ' ',
  '\u0000',
  '\ud800',
  '\u202egnihsihp',
  'é'.repeat(300),
  '💥'.repeat(99),
  '\r\nx-set: 1',
  '%',
  '\\',
  'null',
  'undefined',
  'NaN',
  '__proto__',
  'constructor',
  'toString',
  '../../etc/passwd',
  '%2e%2e%2f',
  "' OR 1=1 --",
  '$' + '{7*7}',
  '<script>alert(1)</script>',
  'data:image/png;base64,AAAA',
  'file:///etc/passwd',
  // What React reads as references, promises, functions and other types.
  '$undefined',
  '$',
  '$1',
  '$@1',
  '$F1',
  '$K1',
  '$n9',
  '$Q1',
  '$W1',
  '$B1',
  '$D',
  '$-0',
  '$Infinity',
  '$i1',
  '$R1',
  'x'.repeat(70_000),
  'svc_sk_',
  'svc_pk_',
  'cks_',
  'key_',
  '2026-13-45',
  '1e999',
  '0x10',
  '-0',
  '१२३',
];
const NUMBERS = [0, -1, 0.1, 1e-9, 1e21, 2 ** 31, 2 ** 53, -(2 ** 63), 2 ** 64, 1e308];
const RAWS = [
  '1e999',
  '-1e999',
  '-0',
  `1${'0'.repeat(400)}`,
  `0.${'0'.repeat(400)}1`,
  'NaN',
  '01',
  '1.',
  "'x'",
  '0x1F',
  ...[30, 1_500, 20_000].map((depth) => '['.repeat(depth) + ']'.repeat(depth)),
  ...[30, 5_000].map((depth) => `${'{"a":'.repeat(depth)}1${'}'.repeat(depth)}`),
].map(raw);
const NAMES = [
  '__proto__',
  'constructor',
  'prototype',
  'hasOwnProperty',
  'then',
  'toJSON',
  'length',
  '',
  '0',
  '$1',
];

const odd: fc.Arbitrary<Json> = fc.oneof(
  { weight: 4, arbitrary: fc.constantFrom<Json>(null, true, false, [], {}, [null], [[]], { a: null }) },
  { weight: 4, arbitrary: fc.constantFrom<Json>(...TEXTS) },
  { weight: 3, arbitrary: fc.constantFrom<Json>(...NUMBERS, ...RAWS) },
  { weight: 2, arbitrary: fc.jsonValue() as fc.Arbitrary<Json> },
  { weight: 1, arbitrary: fc.string({ unit: 'binary', maxLength: 200 }) },
  { weight: 1, arbitrary: fc.double({ noNaN: true }) },
);

export const oddText: fc.Arbitrary<string> = fc.oneof(
  fc.constantFrom(...TEXTS.filter((text) => text.length < 2_000)),
  fc.string({ unit: 'binary', maxLength: 60 }),
);

type Edit = { at: number; how: (typeof EDITS)[number]; value: Json; name: string };
const EDITS = ['replace', 'replace', 'remove', 'add', 'wrap', 'repeat', 'prolong'] as const;

const edits: fc.Arbitrary<Edit[]> = fc.array(
  fc.record({
    at: fc.nat(10_000),
    how: fc.constantFrom(...EDITS),
    value: odd,
    name: fc.oneof(fc.constantFrom(...NAMES), fc.string({ maxLength: 20 })),
  }),
  { maxLength: 3 },
);

type Place = { parent: Record<string, Json>; key: string };

/** Every value inside another one. Arrays are addressed by index, like objects. */
function listPlaces(value: Json, found: Place[] = []): Place[] {
  if (value === null || typeof value !== 'object') return found;
  const parent = value as Record<string, Json>;
  for (const key of Object.keys(parent)) {
    found.push({ parent, key });
    listPlaces(parent[key] ?? null, found);
  }
  return found;
}

/** Assigning to `__proto__` would set the prototype. */
function setField(parent: Record<string, Json>, name: string, value: Json): void {
  if (Array.isArray(parent)) parent.splice(Number(name) || 0, 1, value);
  else Object.defineProperty(parent, name, { value, enumerable: true, configurable: true, writable: true });
}

function applyEdits(given: Json, list: Edit[]): Json {
  const root: Record<string, Json> = { body: structuredClone(given) };
  for (const { at, how, value, name } of list) {
    const places = listPlaces(root);
    const { parent, key } = places[at % places.length] ?? { parent: root, key: 'body' };
    const current = parent[key] ?? null;
    const put = (field: string, changed: Json) => setField(parent, field, changed);
    // A copy, because the next edit may change it.
    if (how === 'replace') put(key, structuredClone(value));
    else if (how === 'remove') delete parent[key];
    else if (how === 'add') put(name, structuredClone(value));
    else if (how === 'wrap') put(key, at % 2 ? [current] : { [name]: current });
    else if (how === 'repeat')
      put(
        key,
        Array.from({ length: 1 + (at % 300) }, () => structuredClone(current)),
      );
    else if (typeof current === 'string') put(key, current + value);
  }
  return root.body ?? null;
}

const write = (value: Json): string =>
  (JSON.stringify(value) ?? '').replace(/"raw\\u0001(.*?)\\u0001"/g, (_, text: string) => text);

type Damage = { how: (typeof DAMAGES)[number]; at: number; text: string };
const DAMAGES = ['cut', 'insert', 'twice', 'duplicate', 'bytes', 'empty', 'mark'] as const;

/** One time in `n`; otherwise what there is without it. */
export const onceIn = <T, U>(n: number, arbitrary: fc.Arbitrary<T>, otherwise: U): fc.Arbitrary<T | U> =>
  fc.oneof({ weight: 1, arbitrary }, { weight: n - 1, arbitrary: fc.constant(otherwise) });

const damage: fc.Arbitrary<Damage | undefined> = onceIn(
  3,
  fc.record({ how: fc.constantFrom(...DAMAGES), at: fc.nat(10_000), text: oddText }),
  undefined,
);

function inflict(text: string, { how, at, text: inserted }: Damage): Buffer {
  const position = at % (text.length + 1);
  const [before, after] = [text.slice(0, position), text.slice(position)];
  if (how === 'cut') return Buffer.from(before);
  if (how === 'insert') return Buffer.from(before + inserted + after);
  if (how === 'twice') return Buffer.from(text + text);
  if (how === 'mark') return Buffer.from(`\uFEFF${text}`);
  if (how === 'empty') return Buffer.alloc(0);
  if (how === 'bytes')
    return Buffer.concat([Buffer.from(before), Buffer.from([0xff, 0xc0, 0x80, 0xed]), Buffer.from(after)]);
  const [, name = '"a"'] = /^\{("[^"]*"):/.exec(text) ?? [];
  return Buffer.from(text.replace('{', `{${name}:${JSON.stringify(inserted)},`));
}

/** Bodies near the valid ones: a fifth are unchanged, so that what lies behind the validation is reached too. */
export function near(valid: fc.Arbitrary<Json>): fc.Arbitrary<Buffer> {
  const changed = fc.tuple(valid, edits, damage).map(([value, list, harm]) => {
    const text = write(applyEdits(value, list));
    return harm ? inflict(text, harm) : Buffer.from(text);
  });
  return fc.oneof(
    { weight: 1, arbitrary: valid.map((value) => Buffer.from(write(value))) },
    { weight: 4, arbitrary: changed },
  );
}
