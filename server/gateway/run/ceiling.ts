import { type Microcredits, parseCredits } from '../../base/credits';
import { ApiError } from '../../base/errors';
import type { WithHeaders } from '../../base/http/api-request';

const LONGEST = 24;

/** The most that the request may cost, from `x-svc-max-credits`; null without one. */
export function readCeiling(headers: WithHeaders['headers']): Microcredits | null {
  const text = headers.get('x-svc-max-credits');
  if (text === null) return null;
  const ceiling = text.length <= LONGEST ? parseCredits(text) : null;
  if (ceiling !== null && ceiling > 0n) return ceiling;
  throw new ApiError(
    'invalid_request',
    'x-svc-max-credits: must be a number of credits above 0 with at most 6 decimals, such as 2.5',
    { param: 'max_credits' },
  );
}
