import { HOUR_MS, MINUTE_MS, SECOND_MS } from '../base/clock';
import type { Job } from '../base/job';
import { sweepDeletedCustomers } from './checkout/delete-customers';
import { forgetOldAttempts } from './checkout/note-attempt';
import { sweepPaymentMethodDomains } from './checkout/payment-method-domains';
import { sweepPayments } from './checkout/sweep';
import { sweepReversals } from './checkout/sweep-reversals';
import { watchBalances } from './checkout/top-up/watch-balances';
import { completeUserRefunds } from './checkout/user-refunds';
import { forgetOldVisits } from './checkout/visits';
import { sweepAccounts } from './payouts/accounts';
import { sweepBankPayouts } from './payouts/bank-payouts';
import { notePayoutMails } from './payouts/mails';
import { planPayouts } from './payouts/plan';
import { sendPayouts } from './payouts/send';
import { sweepTransfers } from './payouts/transfers';

/** Without the payout method `stripe`, the jobs of payouts that concern it find nothing to do. */
export const PAYMENT_JOBS: readonly Job[] = [
  { name: 'payment sweep', everyMs: 30 * SECOND_MS, run: sweepPayments },
  { name: 'user refunds', everyMs: 30 * SECOND_MS, run: completeUserRefunds },
  { name: 'balances', everyMs: SECOND_MS, run: watchBalances },
  { name: 'reversal sweep', everyMs: HOUR_MS, run: sweepReversals },
  { name: 'payment method domains', everyMs: 30 * SECOND_MS, run: sweepPaymentMethodDomains },
  { name: 'deleted customers', everyMs: MINUTE_MS, run: sweepDeletedCustomers },
  { name: 'old visits', everyMs: HOUR_MS, run: forgetOldVisits },
  { name: 'old attempts', everyMs: HOUR_MS, run: forgetOldAttempts },
  { name: 'payout plans', everyMs: HOUR_MS, run: planPayouts },
  { name: 'payouts', everyMs: 15 * SECOND_MS, run: sendPayouts },
  { name: 'payout accounts', everyMs: MINUTE_MS, run: sweepAccounts },
  { name: 'bank payouts', everyMs: HOUR_MS, run: sweepBankPayouts },
  { name: 'transfers', everyMs: HOUR_MS, run: sweepTransfers },
  { name: 'payout states', everyMs: 30 * SECOND_MS, run: notePayoutMails },
];
