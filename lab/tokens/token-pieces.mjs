import { readFileSync, writeFileSync } from 'node:fs';
import { deflateRawSync } from 'node:zlib';
import { Tiktoken } from 'js-tiktoken/lite';
import cl100k from 'js-tiktoken/ranks/cl100k_base';
import o200k from 'js-tiktoken/ranks/o200k_base';
import { encodeBytes, worstCuts } from './worst-cuts.mjs';

/**
 * `node lab/tokens/token-pieces.mjs claude.json` writes server/gateway/protocols/token-pieces.json: the pieces of text that
 * are one token in OpenAI's two public vocabularies, and so are likely to be one token elsewhere, with the most
 * that each may count. Used by server/gateway/protocols/bound-tokens.ts. The argument is a file of the npm package
 * @anthropic-ai/tokenizer 0.0.4, Anthropic's only published tokenizer. Takes a minute.
 */

const OUTPUT = 'server/gateway/protocols/token-pieces.json';
const MAX_BYTES = 12;
/** Later pieces are rare words, and letters of rare scripts, which other vocabularies lack. */
const MAX_RANK = { ascii: 16_000, other: 40_000 };

/** Counts are in eighths of a token, before the factors of `LARGEST` in server/gateway/protocols/measure-size.ts. */
const EIGHTHS = 8;
const LARGEST = { openai: 1.1, anthropic: 2 };
/** Anthropic documents 30% more tokens for its current models. */
const CURRENT_CLAUDE = 1.3;
/** Other tokenizers may cut a piece that is within a longer word, so there it counts at least by its length. */
const LEAST_PER_BYTE = { letter: 4, mark: 5, other: 2.5 };

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

/** The rank of each token, as text of one character per byte, in order. */
function readRanks({ bpe_ranks }) {
  const ranks = new Map();
  for (const line of bpe_ranks.split('\n')) {
    const [, start, ...tokens] = line.split(' ');
    tokens.forEach((token, index) => {
      ranks.set(Buffer.from(token, 'base64').toString('latin1'), Number(start) + index);
    });
  }
  return ranks;
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
      // Repeated, because a slash after a newline belongs to the word before it.
      after.every((neighbour) => count((text + neighbour).repeat(2)) <= 2 * (1 + count(neighbour))),
  );
}

const tokenizers = [cl100k, o200k].map((ranks) => {
  const encoding = new Tiktoken(ranks);
  return (text) => encoding.encode(text, [], []).length;
});
const ranks = { cl100k: readRanks(cl100k), o200k: readRanks(o200k) };
const claude = readRanks(JSON.parse(readFileSync(process.argv[2], 'utf8')));
const pieces = [...ranks.cl100k.keys()]
  .filter((piece, rank) => ranks.o200k.has(piece) && isCommon(piece, rank) && isStable(piece, tokenizers))
  .sort();

const ofOpenai = Object.values(ranks).map((vocabulary) => worstCuts(vocabulary, pieces));
const ofClaude = worstCuts(claude, pieces);

/** With Claude, where no tokenizer makes more tokens than bytes. */
const claudeTokens = (tokens, bytes) => Math.min(bytes, CURRENT_CLAUDE * tokens) / LARGEST.anthropic;

const roundUp = (tokens) => Math.ceil(EIGHTHS * tokens - 1e-9);

function countWhole(piece) {
  return roundUp(Math.max(1, claudeTokens(encodeBytes(claude, piece).length, piece.length)));
}

function countInWord(piece) {
  const kindOf = (byte) => (byte >= '\x80' ? 'other' : MARK.test(byte) ? 'mark' : 'letter');
  const least = [...piece].reduce((sum, byte) => sum + LEAST_PER_BYTE[kindOf(byte)], 1);
  const tokens = Math.max(...ofOpenai.map((worst) => worst(piece))) / LARGEST.openai;
  return Math.max(
    EIGHTHS,
    Math.floor(least),
    roundUp(Math.max(tokens, claudeTokens(ofClaude(piece), piece.length))),
  );
}

const records = pieces.map((piece) =>
  Buffer.from(String.fromCharCode(piece.length, countInWord(piece), countWhole(piece)) + piece, 'latin1'),
);
const deflated = deflateRawSync(Buffer.concat(records), { level: 9 }).toString('base64');
writeFileSync(OUTPUT, `${JSON.stringify({ pieces: pieces.length, deflated })}\n`);
console.log(`${pieces.length} pieces, ${Math.round(deflated.length / 1024)} kB`);
