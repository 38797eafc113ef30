import type { PayoutProcessor } from '../payout-processor';
import { createAccount, openDashboard, openOnboarding, readAccount, readBankPayout } from './accounts';
import { readPayoutEvent } from './events';
import { findTransfer, listTransfers, reverseTransfer, transfer } from './transfers';

export const stripePayouts: PayoutProcessor = {
  createAccount,
  openOnboarding,
  openDashboard,
  readAccount,
  transfer,
  findTransfer,
  listTransfers,
  reverseTransfer,
  readBankPayout,
  readEvent: readPayoutEvent,
};
