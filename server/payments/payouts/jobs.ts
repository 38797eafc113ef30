import { HOUR_MS, SECOND_MS } from '../../base/clock';
import { sweepAccounts } from './accounts';
import { sweepBankPayouts } from './bank-payouts';
import { sendPayoutMails } from './mails';
import { planPayouts } from './plan';
import { sendPayouts } from './send';
import { sweepTransfers } from './transfers';

const SWEEP_ACCOUNTS_EVERY_MS = 60 * SECOND_MS;
const SEND_EVERY_MS = 15 * SECOND_MS;
const MAIL_EVERY_MS = 30 * SECOND_MS;

/** Without the method `stripe`, those that concern it find nothing to do. */
export const PAYOUT_JOBS: readonly { name: string; everyMs: number; run: () => Promise<void> }[] = [
  { name: 'payout plans', everyMs: HOUR_MS, run: planPayouts },
  { name: 'payouts', everyMs: SEND_EVERY_MS, run: sendPayouts },
  { name: 'payout accounts', everyMs: SWEEP_ACCOUNTS_EVERY_MS, run: sweepAccounts },
  { name: 'bank payouts', everyMs: HOUR_MS, run: sweepBankPayouts },
  { name: 'transfers', everyMs: HOUR_MS, run: sweepTransfers },
  { name: 'payout mails', everyMs: MAIL_EVERY_MS, run: sendPayoutMails },
];
