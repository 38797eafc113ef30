import { type Microcredits, parseCredits } from '../../base/credits';
import { ApiError } from '../../base/errors';
import type { WithHeaders } from '../../base/http/api-request';
import type { Run } from '../../ledger';
import { readQuoteId } from './quote-id';

const LONGEST = 24;
const RUN_ID = /^[\w.:-]{1,64}$/;

type Headers = WithHeaders['headers'];

/** The most that the request may cost: of `x-svc-max-credits` and `x-svc-quote`, the lower one; null without either. */
export function readCeiling(headers: Headers, keyHash: Buffer): Microcredits | null {
  const ceiling = readCredits(headers, 'max_credits');
  const quote = headers.get('x-svc-quote');
  if (quote === null) return ceiling;
  const quoted = readQuoteId(quote, keyHash);
  return ceiling !== null && ceiling < quoted ? ceiling : quoted;
}

/** The run of the request, from `x-svc-run` and `x-svc-run-max-credits`; null without one. */
export function readRunHeaders(headers: Headers): Run | null {
  const id = headers.get('x-svc-run');
  const credits = readCredits(headers, 'run_max_credits');
  if (id === null && credits === null) return null;
  if (id !== null && RUN_ID.test(id)) return { id, credits };
  throw new ApiError('invalid_request', 'x-svc-run: must be 1 to 64 letters, digits or any of . _ : -', {
    param: 'run',
  });
}

function readCredits(headers: Headers, param: 'max_credits' | 'run_max_credits'): Microcredits | null {
  const name = `x-svc-${param.replaceAll('_', '-')}`;
  const text = headers.get(name);
  if (text === null) return null;
  const credits = text.length <= LONGEST ? parseCredits(text) : null;
  if (credits !== null && credits > 0n) return credits;
  throw new ApiError(
    'invalid_request',
    `${name}: must be a number of credits above 0 with at most 6 decimals, such as 2.5`,
    { param },
  );
}
