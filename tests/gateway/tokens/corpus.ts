import { randomFrom } from '../../harness/random';

/** Texts of every kind, always the same, to compare our bound of their tokens with real tokenizers. */

const random = randomFrom(7);
const pick = (characters: readonly string[]): string =>
  characters[Math.floor(random() * characters.length)] ?? '';
const some = (count: number, next: () => string, separator = ''): string =>
  Array.from({ length: count }, next).join(separator);
const from = (first: number, count: number): string[] =>
  Array.from({ length: count }, (_, index) => String.fromCodePoint(first + index));

const LETTERS = from(0x61, 26);
const MARKS = [...'!"#$%&\'()*+,-./:;<=>?@[\\]^_`{|}~'];
const bytes = Buffer.from(Array.from({ length: 3_000 }, () => Math.floor(random() * 256)));
const records = Array.from({ length: 20 }, (_, index) => ({
  id: `prt_${index}`,
  name: `Partner ${index}`,
  enabled: index % 2 === 0,
  prices: { input: '1.25', output: '10', cacheRead: null },
}));

/** Article 1 of the Universal Declaration of Human Rights. */
const DECLARATION = {
  German:
    'Alle Menschen sind frei und gleich an Würde und Rechten geboren. Sie sind mit Vernunft und Gewissen begabt und sollen einander im Geiste der Brüderlichkeit begegnen.',
  French:
    'Tous les êtres humains naissent libres et égaux en dignité et en droits. Ils sont doués de raison et de conscience et doivent agir les uns envers les autres dans un esprit de fraternité.',
  Russian:
    'Все люди рождаются свободными и равными в своем достоинстве и правах. Они наделены разумом и совестью и должны поступать в отношении друг друга в духе братства.',
  Chinese: '人人生而自由，在尊严和权利上一律平等。他们赋有理性和良心，并应以兄弟关系的精神相对待。',
  Japanese:
    'すべての人間は、生まれながらにして自由であり、かつ、尊厳と権利とについて平等である。人間は、理性と良心とを授けられており、互いに同胞の精神をもって行動しなければならない。',
  Korean:
    '모든 인간은 태어날 때부터 자유로우며 그 존엄과 권리에 있어 동등하다. 인간은 천부적으로 이성과 양심을 부여받았으며 서로 형제애의 정신으로 행동하여야 한다.',
  Arabic:
    'يولد جميع الناس أحراراً متساوين في الكرامة والحقوق. وقد وهبوا عقلاً وضميراً وعليهم أن يعامل بعضهم بعضاً بروح الإخاء.',
  Hindi:
    'सभी मनुष्यों को गौरव और अधिकारों के मामले में जन्मजात स्वतन्त्रता और समानता प्राप्त है। उन्हें बुद्धि और अन्तरात्मा की देन प्राप्त है।',
  Amharic:
    'የሰው ልጅ ሁሉ ሲወለድ ነጻና በክብርና በመብትም እኩልነት ያለው ነው። የተፈጥሮ ማስተዋልና ሕሊና ስላለው አንዱ ሌላውን በወንድማማችነት መንፈስ መመልከት ይገባዋል።',
  Tibetan: 'འགྲོ་བ་མིའི་རིགས་རྒྱུད་ཡོངས་ལ་སྐྱེས་ཙམ་ཉིད་ནས་ཆེ་མཐོངས་དང༌། ཐོབ་ཐངགི་རང་དབང་འདྲ་མཉམ་དུ་ཡོད་ལ།',
};

export const CORPUS: Readonly<Record<string, string>> = {
  English:
    'It was the best of times, it was the worst of times, it was the age of wisdom, it was the age of foolishness. The committee will publish its findings on Tuesday, after a review of the evidence submitted by local residents.',
  ...DECLARATION,
  Markdown:
    '# What is charged, and when\n\n100 credits are **1 US dollar**. There are no other fees: none per request and none per month.\n\n- Every class of tokens has its own price: input, cached input, and output.\n- The `commission` is a percentage of the [price](https://example.com/prices).\n\n| What happened | What is charged |\n|---|---|\n| The response was complete | The tokens that the provider reports |\n',
  TypeScript:
    "import { readImageSize } from './image-size';\n\n/** Returns null when the stream is corrupt. */\nexport function decompress(bytes: Uint8Array, maxOutputLength: number): string | null {\n  if (maxOutputLength <= 0) return null;\n  try {\n    return inflateSync(bytes, { maxOutputLength }).toString('latin1');\n  } catch {\n    return null;\n  }\n}\n\nconst countPages = (text: string): number => text.match(PAGE)?.length ?? 0;\n",
  SQL: "SELECT wallet.user_id, SUM(charge) AS charged\n  FROM ledger_transaction\n  JOIN wallet USING (user_id)\n WHERE created_at >= now() - INTERVAL '1 day'\n   AND kind IN ('capture', 'release')\n GROUP BY wallet.user_id\nHAVING SUM(charge) > 0\n ORDER BY charged DESC NULLS LAST;\n",
  JSON: JSON.stringify(records),
  'indented JSON': JSON.stringify(records, null, 2),
  'minified JavaScript':
    'function e(t,n){var r=t.length,i=n?n.slice():[];for(;r--;)i[r]=t[r]!==void 0?t[r]:null;return i.map(function(t,n){return t&&t.__e?t.__e(n):t})}var o=Object.freeze({__proto__:null,get:e}),a=function(t){return"string"==typeof t?t.charCodeAt(0)<<2:0};'.repeat(
      3,
    ),
  'CSV of numbers': some(200, () => (random() * 10_000).toFixed(4), ','),
  'grid of digits': `[${some(1_000, () => pick(['0', '1']), ',')}]`,
  log: some(
    40,
    () =>
      `2026-11-22T15:04:${Math.floor(random() * 60)}Z INFO GET /v1/items/${Math.floor(random() * 1e6)} 200 ${Math.floor(random() * 90)}ms`,
    '\n',
  ),
  URLs: some(
    40,
    () => `https://example.com/${some(8, () => pick(LETTERS))}?id=${Math.floor(random() * 1e9)}`,
    '\n',
  ),
  base64: bytes.toString('base64'),
  hexadecimal: bytes.toString('hex'),
  'random letters': some(3_000, () => pick(LETTERS)),
  'random capitals': some(3_000, () => pick(LETTERS).toUpperCase()),
  'random words': some(500, () => some(1 + Math.floor(random() * 8), () => pick(LETTERS)), ' '),
  'random ASCII': some(3_000, () => pick(from(33, 94))),
  'words without blanks': some(400, () => pick(['people', 'sets', 'components', 'model', 'tags'])),
  punctuation: some(3_000, () => pick(MARKS)),
  'white space': some(1_500, () => pick([' ', '\n', '\t', '\r\n', '    '])),
  blanks: ' '.repeat(3_000),
  emoji: some(600, () => pick(['😀', '🎉', '👍', '🙏', '👩‍👧', '🇩🇪', '🏳️‍🌈', '✨'])),
  Cherokee: some(600, () => pick(from(0x13a0, 80))),
  hieroglyphs: some(600, () => pick(from(0x13000, 1_000))),
  'private use': some(600, () => pick(from(0xe000, 6_000))),
  'rare ideographs': some(600, () => pick(from(0x4e00, 20_000))),
  'mathematical letters': some(600, () => pick(from(0x1d400, 900))),
  ligatures: some(100, () => '\ufdfa'),
};

/** Tokens of each text by the only tokenizer that Anthropic has published (`@anthropic-ai/tokenizer` 0.0.4). */
export const CLAUDE_TOKENS: Readonly<Record<string, number>> = {
  English: 49,
  German: 50,
  French: 54,
  Russian: 89,
  Chinese: 49,
  Japanese: 87,
  Korean: 95,
  Arabic: 109,
  Hindi: 143,
  Amharic: 267,
  Tibetan: 277,
  Markdown: 101,
  TypeScript: 116,
  SQL: 80,
  JSON: 662,
  'indented JSON': 1123,
  'minified JavaScript': 354,
  'CSV of numbers': 1162,
  'grid of digits': 2001,
  log: 1101,
  URLs: 716,
  base64: 2831,
  hexadecimal: 3495,
  'random letters': 1575,
  'random capitals': 1740,
  'random words': 1310,
  'random ASCII': 2371,
  'words without blanks': 544,
  punctuation: 2005,
  'white space': 669,
  blanks: 6,
  emoji: 2488,
  Cherokee: 1800,
  hieroglyphs: 1790,
  'private use': 1792,
  'rare ideographs': 1284,
  'mathematical letters': 605,
  ligatures: 1500,
};
