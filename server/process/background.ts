import { HOUR_MS, now } from '../base/clock';
import type { Job } from '../base/job';
import { describeError, log } from '../base/log';
import { failedJobs, jobSuccesses } from '../base/measures';
import { forgetOldTraces } from '../base/traces';
import { GATEWAY_JOBS } from '../gateway/jobs';
import { LEDGER_JOBS } from '../ledger';
import { PARTNER_JOBS } from '../partners/jobs';
import { startDeliveryWorker } from '../partners/webhooks/worker';
import { PAYMENT_JOBS } from '../payments/jobs';
import { PEOPLE_JOBS } from '../people/jobs';
import { REPORT_JOBS } from '../reports/jobs';
import type { Lifetime } from './lifetime';
import { MAIL_JOBS } from './mail-jobs';

const JOBS: readonly Job[] = [
  ...LEDGER_JOBS,
  ...GATEWAY_JOBS,
  ...PAYMENT_JOBS,
  ...PEOPLE_JOBS,
  ...PARTNER_JOBS,
  ...REPORT_JOBS,
  ...MAIL_JOBS,
  { name: 'old traces', everyMs: HOUR_MS, run: forgetOldTraces },
];

/** Runs repeatedly while the service handles requests. */
export function startBackgroundWork(life: Lifetime): void {
  life.onStop('webhooks', startDeliveryWorker());
  for (const job of JOBS) life.onStop(job.name, repeat(job));
}

/** Runs a job now and then at every interval, skipping an interval while it still runs. */
function repeat({ name, everyMs, run, atEnd }: Job): () => Promise<void> {
  const stopping = new AbortController();
  let round: Promise<unknown> | undefined;
  const begin = () => {
    round ??= run(stopping.signal)
      .then(
        () => jobSuccesses.set(name, now()),
        (error: unknown) => {
          failedJobs.add(name);
          log().error({ job: name, error: describeError(error) }, 'background job failed');
        },
      )
      .finally(() => {
        round = undefined;
      });
  };
  const timer = setInterval(begin, everyMs);
  timer.unref();
  begin();
  return async () => {
    clearInterval(timer);
    stopping.abort();
    await round;
    await atEnd?.();
  };
}
