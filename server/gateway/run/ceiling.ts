import { type Microcredits, parseCredits } from '../../base/credits';
import { ApiError } from '../../base/errors';
import type { WithHeaders } from '../../base/http/api-request';
import { readQuoteId } from './quote-id';

const LONGEST = 24;

/** The most that the request may cost: of `x-svc-max-credits` and `x-svc-quote`, the lower one; null without either. */
export function readCeiling({ headers }: WithHeaders, keyHash: Buffer): Microcredits | null {
  const own = headers.get('x-svc-max-credits');
  const quote = headers.get('x-svc-quote');
  const ceilings = [
    ...(own === null ? [] : [readMaximum(own)]),
    ...(quote === null ? [] : [readQuoteId(quote, keyHash)]),
  ];
  return ceilings.length === 0 ? null : ceilings.reduce((one, other) => (other < one ? other : one));
}

function readMaximum(text: string): Microcredits {
  const ceiling = text.length <= LONGEST ? parseCredits(text) : null;
  if (ceiling !== null && ceiling > 0n) return ceiling;
  throw new ApiError(
    'invalid_request',
    'x-svc-max-credits: must be a number of credits above 0 with at most 6 decimals, such as 2.5',
    { param: 'max_credits' },
  );
}
