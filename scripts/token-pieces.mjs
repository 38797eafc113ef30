import { writeFileSync } from 'node:fs';
import { deflateRawSync } from 'node:zlib';
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

const others = new Set(readVocabulary(o200k));
const pieces = readVocabulary(cl100k).filter((piece, rank) => others.has(piece) && isCommon(piece, rank));
const bytes = pieces.sort().map((piece) => Buffer.from(String.fromCharCode(piece.length) + piece, 'latin1'));
const deflated = deflateRawSync(Buffer.concat(bytes), { level: 9 }).toString('base64');
writeFileSync(OUTPUT, `${JSON.stringify({ pieces: pieces.length, deflated })}\n`);
console.log(`${pieces.length} pieces, ${Math.round(deflated.length / 1024)} kB`);
