import { writeFileSync } from 'node:fs';
import { deflateRawSync } from 'node:zlib';
import { Tiktoken } from 'js-tiktoken/lite';
import cl100k from 'js-tiktoken/ranks/cl100k_base';
import o200k from 'js-tiktoken/ranks/o200k_base';

/**
 * Writes server/protocols/token-pieces.json: the pieces of text that are one token in OpenAI's two public
 * vocabularies, and so are likely to be one token elsewhere. Used by server/protocols/bound-tokens.ts.
 */

const OUTPUT = 'server/protocols/token-pieces.json';
const MAX_BYTES = 12;
/** Later pieces are rare words, and letters of rare scripts, which other vocabularies lack. */
const MAX_RANK = { ascii: 16_000, other: 40_000 };

/** Neighbours that tokenizers add to a word of letters, or to one of marks. */
const BEFORE_LETTER = [...'!"#$%&\'()*+,-./:;<=>?@[\\]^_`{|}~\t', "a'"];
const BESIDE_MARK = ['…', '“', '、', '\u200d'];
const AFTER_MARK = [...BESIDE_MARK, '\n', '\n\n', '\r\n'];
const LETTER = /^\p{L}/u;
const MARK = /[!-/:-@[-`{-~]/;
/** Joins marks, and so takes them from the words next to it. */
const OTHER_SIGN = /[^\0-\x7f\p{L}\p{M}]/u;
/** Runs of such white space are cut like blanks. */
const RARE_SPACE = /[\u00a0\u1680\u2000-\u200f\u2028\u2029\u202f\u205f\u3000\ufeff]/;

/** In order of rank, as text of one character per byte. */
function readVocabulary({ bpe_ranks }) {
  return bpe_ranks
    .split('\n')
    .flatMap((line) => line.split(' ').slice(2))
    .map((piece) => Buffer.from(piece, 'base64').toString('latin1'));
}

/** Digits, runs of mixed white space, and a letter with a mark are single tokens only in some vocabularies. */
function isCommon(piece, rank) {
  if (piece.length < 2 || piece.length > MAX_BYTES || /[0-9\r]/.test(piece)) return false;
  if (/[\n\t]/.test(piece) && !/^(\n+|\t+)$/.test(piece)) return false;
  if (piece.length < 4 && /[!-/:-@[-`{-~]/.test(piece) && /[A-Za-z]/.test(piece)) return false;
  return rank < (/[\x80-\xff]/.test(piece) ? MAX_RANK.other : MAX_RANK.ascii);
}

/** A fragment such as `iddleware` falls apart next to a mark: `_iddleware` is three tokens. */
function isStable(piece, tokenizers) {
  const text = Buffer.from(piece, 'latin1').toString();
  if (text.includes('\ufffd')) return true;
  if (RARE_SPACE.test(text) || (OTHER_SIGN.test(text) && [...text].length > 1)) return false;
  const before = LETTER.test(text) ? BEFORE_LETTER : MARK.test(text[0]) ? BESIDE_MARK : [];
  const after = MARK.test(text.at(-1)) ? AFTER_MARK : [];
  return tokenizers.every(
    (count) =>
      before.every((neighbour) => count(neighbour + text) <= count(neighbour) + 1) &&
      after.every((neighbour) => count(text + neighbour) <= 1 + count(neighbour)),
  );
}

const tokenizers = [cl100k, o200k].map((ranks) => {
  const encoding = new Tiktoken(ranks);
  return (text) => encoding.encode(text, [], []).length;
});
const others = new Set(readVocabulary(o200k));
const pieces = readVocabulary(cl100k).filter(
  (piece, rank) => others.has(piece) && isCommon(piece, rank) && isStable(piece, tokenizers),
);
const bytes = pieces.sort().map((piece) => Buffer.from(String.fromCharCode(piece.length) + piece, 'latin1'));
const deflated = deflateRawSync(Buffer.concat(bytes), { level: 9 }).toString('base64');
writeFileSync(OUTPUT, `${JSON.stringify({ pieces: pieces.length, deflated })}\n`);
console.log(`${pieces.length} pieces, ${Math.round(deflated.length / 1024)} kB`);
