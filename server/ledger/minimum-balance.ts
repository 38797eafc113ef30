import { type Microcredits, parseCredits } from '../credits';
import { settings } from '../env';

/** Requests are refused below this balance. */
export function minimumBalance(): Microcredits {
  return parseCredits(settings().MINIMUM_BALANCE_CREDITS) as Microcredits;
}
