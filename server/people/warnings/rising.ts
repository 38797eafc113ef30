/** Whether an app's errors rise: in the running hour, compared with the week before. */

/** Fewer may be a single user. */
export const LEAST_ERRORS = 20;
/** A tenth of all requests, and three times the usual share. */
const LEAST_SHARE = 0.1;
const TIMES_USUAL = 3;

export type Outcomes = { errors: number; served: number };

export function isRising(hour: Outcomes, week: Outcomes): boolean {
  if (hour.errors < LEAST_ERRORS) return false;
  return shareOf(hour) >= Math.max(LEAST_SHARE, TIMES_USUAL * shareOf(week));
}

/** From 0 to 1. */
export const shareOf = ({ errors, served }: Outcomes): number =>
  errors === 0 ? 0 : errors / (errors + served);
