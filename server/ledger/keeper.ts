import { describeError, log } from '../log';
import { AUDIT_EVERY_SECONDS, auditRecent } from './audit';
import { rollUpEarnings } from './earnings';
import { renewLeases, sweepHolds } from './lease';
import { rollUpUsage } from './usage-days';

/** What every instance does for the ledger beside its requests. */
const WORK: { name: string; everySeconds: number; run: () => Promise<unknown> }[] = [
  { name: 'renewing leases', everySeconds: 30, run: renewLeases },
  { name: 'sweeping holds', everySeconds: 15, run: sweepHolds },
  { name: 'rolling up earnings', everySeconds: 60, run: () => rollUpEarnings() },
  { name: 'rolling up use by day', everySeconds: 60, run: () => rollUpUsage() },
  { name: 'auditing', everySeconds: AUDIT_EVERY_SECONDS, run: () => auditRecent() },
];

/** Runs for as long as the process lives. Returns the function that stops it. */
export function startLedgerKeeper(): () => void {
  const timers = WORK.map(({ name, everySeconds, run }) =>
    setInterval(() => {
      run().catch((error: unknown) =>
        log().error({ work: name, error: describeError(error) }, 'ledger keeper failed'),
      );
    }, everySeconds * 1_000).unref(),
  );
  return () => {
    for (const timer of timers) clearInterval(timer);
  };
}
