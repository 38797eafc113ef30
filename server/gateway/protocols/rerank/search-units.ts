import { largestTokens } from '../measure-size';
import { type RerankRequest, textsOf, tokensPerDocument } from './schema';

/**
 * Cohere's unit: one query with up to 100 documents. A document that is longer than 500 tokens with the query counts
 * as several: each part counts as a document. Source: cohere.com/pricing. Whether a part contains the query again is
 * not stated, so both readings are covered; models that repeat it read up to 256 tokens of it.
 */
const DOCUMENTS_PER_UNIT = 100;
const PART_TOKENS = 500;
const REPEATED_QUERY_TOKENS = 256;
const LONGEST_QUERY_TOKENS = 2_048;

/** The rest of long documents counts as a token per byte, so that measuring takes milliseconds. */
const MAX_READ_CHARACTERS = 1_000_000;

/** The most search units that a request is billed as. */
export function largestSearchUnits(request: RerankRequest): number {
  const most = tokensPerDocument(request);
  const query = Math.min(LONGEST_QUERY_TOKENS, largestTokens(request.query));
  let unread = MAX_READ_CHARACTERS;
  let parts = 0;
  for (const document of textsOf(request)) {
    const tokens = unread > 0 ? largestTokens(document.slice(0, unread)) : 0;
    const rest = document.length > unread ? Buffer.byteLength(document.slice(Math.max(0, unread))) : 0;
    unread -= document.length;
    parts += countParts(Math.min(most, tokens + rest), query);
  }
  return Math.ceil(parts / DOCUMENTS_PER_UNIT);
}

function countParts(document: number, query: number): number {
  const withQuery = Math.ceil(document / (PART_TOKENS - Math.min(query, REPEATED_QUERY_TOKENS)));
  return Math.max(1, withQuery, Math.ceil((query + document) / PART_TOKENS));
}
