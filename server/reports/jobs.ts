import { HOUR_MS, MINUTE_MS, SECOND_MS } from '../base/clock';
import type { Job } from '../base/job';
import { providersInCooldown } from '../gateway/run/circuit-breaker';
import { forgetOldCounts, keepActivity, writeCounts } from './activity/keep';
import { closeDays } from './statements/close-days';

export const REPORT_JOBS: readonly Job[] = [
  {
    name: 'activity',
    everyMs: 10 * SECOND_MS,
    run: () => keepActivity(providersInCooldown()),
    // So that the counts of the last requests are written too.
    atEnd: () => writeCounts([]),
  },
  { name: 'daily statements', everyMs: MINUTE_MS, run: closeDays },
  { name: 'old counts', everyMs: HOUR_MS, run: forgetOldCounts },
];
