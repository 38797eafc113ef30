import { MINUTE_MS, SECOND_MS } from '../base/clock';
import type { Job } from '../base/job';
import { applyDueRates } from './rates';
import { sweepDeliveries } from './webhooks/retention';

export const PARTNER_JOBS: readonly Job[] = [
  { name: 'webhook sweep', everyMs: MINUTE_MS, run: sweepDeliveries },
  { name: 'planned rates', everyMs: 5 * SECOND_MS, run: applyDueRates },
];
