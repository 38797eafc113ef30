import { HOUR_MS, MINUTE_MS, now, SECOND_MS } from '../base/clock';
import { describeError, log } from '../base/log';
import { failedJobs, jobSuccesses } from '../base/measures';
import { forgetOldTraces } from '../base/traces';
import { endOverdueReads } from '../gateway/run/background-reads';
import { providersInCooldown } from '../gateway/run/circuit-breaker';
import { endStoppedRequests } from '../gateway/run/cut-off';
import { forgetIdempotentRequests } from '../gateway/run/idempotent-requests';
import { forgetKeptResponses } from '../gateway/run/kept-store';
import { LEDGER_JOBS } from '../ledger';
import { sendInvitations } from '../partners/invitations';
import { applyDueRates } from '../partners/rates';
import { sweepDeliveries } from '../partners/webhooks/retention';
import { startDeliveryWorker } from '../partners/webhooks/worker';
import { sweepDeletedCustomers } from '../payments/checkout/delete-customers';
import { forgetOldAttempts } from '../payments/checkout/note-attempt';
import { sweepPaymentMethodDomains } from '../payments/checkout/payment-method-domains';
import { sweepReceiptMails } from '../payments/checkout/receipt-mail';
import { sweepPayments } from '../payments/checkout/sweep';
import { sweepReversals } from '../payments/checkout/sweep-reversals';
import { sendLowBalanceMails } from '../payments/checkout/top-up/low-balance';
import { sendTopUpMails } from '../payments/checkout/top-up/mails';
import { watchBalances } from '../payments/checkout/top-up/watch-balances';
import { forgetOldVisits } from '../payments/checkout/visits';
import { PAYOUT_JOBS } from '../payments/payouts/jobs';
import { forgetOldNotices, sendKeyNotices } from '../people/key-notice-mails';
import { forgetOldUses, writeKeyUses } from '../people/keys/uses';
import { sweepSignIns } from '../people/sweep-sign-ins';
import { warnOfWrongCodes } from '../people/warn-of-wrong-codes';
import { noteAlerts } from '../people/warnings/note-alerts';
import { sendWarnings } from '../people/warnings/send';
import { forgetOldWarnings, watchSpending } from '../people/warnings/watch';
import { forgetOldCounts, keepActivity, writeCounts } from '../reports/activity/keep';
import { sendCorrectionMails } from '../reports/corrections/mails';
import { closeDays } from '../reports/statements/close-days';
import type { Lifetime } from './lifetime';

const END_READS_EVERY_MS = 5 * SECOND_MS;
const END_STOPPED_EVERY_MS = SECOND_MS;
const SWEEP_PAYMENTS_EVERY_MS = 30 * SECOND_MS;
const SWEEP_REVERSALS_EVERY_MS = HOUR_MS;
const REGISTER_DOMAINS_EVERY_MS = 30 * SECOND_MS;
const SWEEP_DELIVERIES_EVERY_MS = MINUTE_MS;
const WATCH_BALANCES_EVERY_MS = SECOND_MS;
const MAIL_ABOUT_BALANCES_EVERY_MS = 10 * SECOND_MS;
const WATCH_SPENDING_EVERY_MS = 5 * SECOND_MS;
const NOTE_ALERTS_EVERY_MS = 30 * SECOND_MS;
const MAIL_WARNINGS_EVERY_MS = 5 * SECOND_MS;
const MAIL_INVITATIONS_EVERY_MS = 10 * SECOND_MS;
const MAIL_CORRECTIONS_EVERY_MS = 10 * SECOND_MS;
const MAIL_RECEIPTS_EVERY_MS = MINUTE_MS;
const DELETE_CUSTOMERS_EVERY_MS = MINUTE_MS;
const WARN_EVERY_MS = MINUTE_MS;
const APPLY_RATES_EVERY_MS = 5 * SECOND_MS;
const KEEP_ACTIVITY_EVERY_MS = 10 * SECOND_MS;
const WRITE_KEY_USES_EVERY_MS = 10 * SECOND_MS;
const MAIL_KEY_NOTICES_EVERY_MS = 10 * SECOND_MS;
const CLOSE_DAYS_EVERY_MS = MINUTE_MS;
const FORGET_RESPONSES_EVERY_MS = MINUTE_MS;
const FORGET_EVERY_MS = HOUR_MS;

/** Runs repeatedly while the service handles requests. */
export function startBackgroundWork(life: Lifetime): void {
  for (const { name, everyMs, run } of [...LEDGER_JOBS, ...PAYOUT_JOBS])
    life.onStop(name, repeat(name, everyMs, run));
  life.onStop('background reads', repeat('background reads', END_READS_EVERY_MS, endOverdueReads));
  life.onStop('stopped requests', repeat('stopped requests', END_STOPPED_EVERY_MS, endStoppedRequests));
  life.onStop('payment sweep', repeat('payment sweep', SWEEP_PAYMENTS_EVERY_MS, sweepPayments));
  life.onStop('balances', repeat('balances', WATCH_BALANCES_EVERY_MS, watchBalances));
  life.onStop('top-up mails', repeat('top-up mails', MAIL_ABOUT_BALANCES_EVERY_MS, sendTopUpMails));
  life.onStop(
    'low-balance mails',
    repeat('low-balance mails', MAIL_ABOUT_BALANCES_EVERY_MS, sendLowBalanceMails),
  );
  life.onStop('spending', repeat('spending', WATCH_SPENDING_EVERY_MS, watchSpending));
  life.onStop('alerts', repeat('alerts', NOTE_ALERTS_EVERY_MS, noteAlerts));
  life.onStop('warnings', repeat('warnings', MAIL_WARNINGS_EVERY_MS, sendWarnings));
  life.onStop('old warnings', repeat('old warnings', FORGET_EVERY_MS, forgetOldWarnings));
  life.onStop('reversal sweep', repeat('reversal sweep', SWEEP_REVERSALS_EVERY_MS, sweepReversals));
  life.onStop(
    'payment method domains',
    repeat('payment method domains', REGISTER_DOMAINS_EVERY_MS, sweepPaymentMethodDomains),
  );
  life.onStop('webhooks', startDeliveryWorker());
  life.onStop('webhook sweep', repeat('webhook sweep', SWEEP_DELIVERIES_EVERY_MS, sweepDeliveries));
  life.onStop('invitations', repeat('invitations', MAIL_INVITATIONS_EVERY_MS, sendInvitations));
  life.onStop('correction mails', repeat('correction mails', MAIL_CORRECTIONS_EVERY_MS, sendCorrectionMails));
  life.onStop('receipt mails', repeat('receipt mails', MAIL_RECEIPTS_EVERY_MS, sweepReceiptMails));
  life.onStop(
    'deleted customers',
    repeat('deleted customers', DELETE_CUSTOMERS_EVERY_MS, sweepDeletedCustomers),
  );
  life.onStop('wrong codes', repeat('wrong codes', WARN_EVERY_MS, warnOfWrongCodes));
  life.onStop('planned rates', repeat('planned rates', APPLY_RATES_EVERY_MS, applyDueRates));
  // Stops after the activity job, so that the counts of the last requests are written too.
  life.onStop('counts', () => writeCounts([]));
  life.onStop(
    'activity',
    repeat('activity', KEEP_ACTIVITY_EVERY_MS, () => keepActivity(providersInCooldown())),
  );
  life.onStop('last key uses', writeKeyUses);
  life.onStop('key uses', repeat('key uses', WRITE_KEY_USES_EVERY_MS, writeKeyUses));
  life.onStop('key notices', repeat('key notices', MAIL_KEY_NOTICES_EVERY_MS, sendKeyNotices));
  life.onStop('daily statements', repeat('daily statements', CLOSE_DAYS_EVERY_MS, closeDays));
  life.onStop('kept responses', repeat('kept responses', FORGET_RESPONSES_EVERY_MS, forgetKeptResponses));
  life.onStop(
    'idempotent requests',
    repeat('idempotent requests', FORGET_RESPONSES_EVERY_MS, forgetIdempotentRequests),
  );
  life.onStop('old key uses', repeat('old key uses', FORGET_EVERY_MS, forgetOldUses));
  life.onStop('old key notices', repeat('old key notices', FORGET_EVERY_MS, forgetOldNotices));
  life.onStop('old counts', repeat('old counts', FORGET_EVERY_MS, forgetOldCounts));
  life.onStop('old visits', repeat('old visits', FORGET_EVERY_MS, forgetOldVisits));
  life.onStop('old traces', repeat('old traces', FORGET_EVERY_MS, forgetOldTraces));
  life.onStop('old attempts', repeat('old attempts', FORGET_EVERY_MS, forgetOldAttempts));
  life.onStop('old sign-ins', repeat('old sign-ins', FORGET_EVERY_MS, sweepSignIns));
}

/** Runs `work` now and then at every interval, skipping an interval while it still runs. Long work watches the signal. */
function repeat(
  name: string,
  everyMs: number,
  work: (stop: AbortSignal) => Promise<unknown>,
): () => Promise<void> {
  const stopping = new AbortController();
  let round: Promise<unknown> | undefined;
  const begin = () => {
    round ??= work(stopping.signal)
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
  };
}
