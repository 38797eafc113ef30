import { HOUR_MS, MINUTE_MS, SECOND_MS } from '../base/clock';
import type { Job } from '../base/job';
import { forgetOldNotices } from './key-notice-mails';
import { forgetOldUses, writeKeyUses } from './keys/uses';
import { sweepSignIns } from './sweep-sign-ins';
import { warnOfWrongCodes } from './warn-of-wrong-codes';
import { noteAlerts } from './warnings/note-alerts';
import { forgetOldWarnings, watchSpending } from './warnings/watch';

export const PEOPLE_JOBS: readonly Job[] = [
  { name: 'spending', everyMs: 5 * SECOND_MS, run: watchSpending },
  { name: 'alerts', everyMs: 30 * SECOND_MS, run: noteAlerts },
  { name: 'old warnings', everyMs: HOUR_MS, run: forgetOldWarnings },
  { name: 'wrong codes', everyMs: MINUTE_MS, run: warnOfWrongCodes },
  { name: 'key uses', everyMs: 10 * SECOND_MS, run: writeKeyUses, atEnd: writeKeyUses },
  { name: 'old key uses', everyMs: HOUR_MS, run: forgetOldUses },
  { name: 'old key notices', everyMs: HOUR_MS, run: forgetOldNotices },
  { name: 'old sign-ins', everyMs: HOUR_MS, run: sweepSignIns },
];
