import { MINUTE_MS, now } from '../../base/clock';
import type { Microcredits } from '../../base/credits';
import { ApiError } from '../../base/errors';
import { openSealed, seal } from '../../base/seal';

/** The id of a quote contains its maximum, encrypted, so that nothing is stored. */

const PREFIX = 'quo_';
const PURPOSE = 'quote';
const LIFETIME_MS = 10 * MINUTE_MS;
const ID = /^quo_[\w-]{60,300}$/;

export function writeQuoteId(maximum: Microcredits, keyHash: Buffer): { id: string; expires_at: string } {
  const expiresAtMs = now() + LIFETIME_MS;
  const content = `${expiresAtMs}.${maximum}.${keyHash.toString('base64url')}`;
  return {
    id: PREFIX + Buffer.from(seal(content, PURPOSE)).toString('base64url'),
    expires_at: new Date(expiresAtMs).toISOString(),
  };
}

/** Returns the maximum of a quote for this key. */
export function readQuoteId(id: string, keyHash: Buffer): Microcredits {
  const [expiresAtMs = '', maximum = '', ofKey] = openQuote(id);
  if (ofKey !== keyHash.toString('base64url'))
    throw invalidQuote('expected the id of a quote that this key requested');
  if (Number(expiresAtMs) <= now()) throw invalidQuote('this quote has expired. Request a new one');
  return BigInt(maximum) as Microcredits;
}

function openQuote(id: string): string[] {
  if (!ID.test(id)) return [];
  try {
    return openSealed(Buffer.from(id.slice(PREFIX.length), 'base64url'), PURPOSE).split('.');
  } catch {
    return [];
  }
}

const invalidQuote = (problem: string): ApiError =>
  new ApiError('invalid_request', `x-svc-quote: ${problem}`, { param: 'quote' });
