import { HOUR_MS, SECOND_MS } from '../base/clock';
import type { Job } from '../base/job';
import { AUDIT_EVERY_SECONDS, auditRecent } from './audit';
import { forgetOldAudits } from './audit-run';
import { forgetOldBudgets } from './budgets';
import { bookCorrections, forgetAbandonedProposals } from './corrections';
import { rollUpEarnings } from './earnings';
import { renewLeases, sweepHolds } from './lease';
import { pauseUntilStopped } from './steps';
import { rollUpUsage } from './usage-days';

export const LEDGER_JOBS: readonly Job[] = [
  { name: 'leases', everyMs: 30 * SECOND_MS, run: renewLeases },
  { name: 'abandoned holds', everyMs: 15 * SECOND_MS, run: () => sweepHolds() },
  { name: 'earnings by hour', everyMs: 10 * SECOND_MS, run: () => rollUpEarnings() },
  { name: 'use by day', everyMs: 10 * SECOND_MS, run: () => rollUpUsage() },
  {
    name: 'audit',
    everyMs: AUDIT_EVERY_SECONDS * SECOND_MS,
    run: (stop) => auditRecent(undefined, pauseUntilStopped(stop)),
  },
  { name: 'corrections', everyMs: 5 * SECOND_MS, run: bookCorrections },
  { name: 'old audits', everyMs: HOUR_MS, run: forgetOldAudits },
  { name: 'old budgets', everyMs: HOUR_MS, run: forgetOldBudgets },
  { name: 'abandoned proposals', everyMs: HOUR_MS, run: forgetAbandonedProposals },
];
