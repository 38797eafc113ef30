import type { PayoutProcessor } from '../payout-processor';
import { createAccount, openDashboard, openOnboarding, readAccount, readBankPayout } from './accounts';
import { readPayoutEvent } from './events';
import { findTransfer, listTransfers, readTransfer, reverseTransfer, transfer } from './transfers';

export const stripePayouts: PayoutProcessor = {
  createAccount,
  openOnboarding,
  openDashboard,
  readAccount,
  transfer,
  findTransfer,
  readTransfer,
  listTransfers,
  reverseTransfer,
  readBankPayout,
  readEvent: readPayoutEvent,
};
