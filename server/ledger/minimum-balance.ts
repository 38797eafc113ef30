import { type Microcredits, parseCredits } from '../base/credits';
import { settings } from '../base/env';

/** Requests are refused below this balance. */
export function minimumBalance(): Microcredits {
  return parseCredits(settings().MINIMUM_BALANCE_CREDITS) as Microcredits;
}
