import { type Microcredits, parseCredits } from '../credits';
import { settings } from '../env';

/** The smallest balance with which requests are admitted. */
export function minimumBalance(): Microcredits {
  return parseCredits(settings().MINIMUM_BALANCE_CREDITS) as Microcredits;
}
