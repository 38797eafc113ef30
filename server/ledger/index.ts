/** The only door to the money. */
export { type Admission, type AdmissionRefusal, admit, type Hold, minimumBalance, type Shortfall } from './admit';
export { checkLedger, type LedgerReport } from './check';
export { drainLedger } from './drain';
export { type HistoryEntry, type HistoryPage, readHistory } from './history';
export { keepLease, startLeaseKeeper, sweepHolds } from './lease';
export { capture, type Receipt, release, type Settled } from './settle';
export {
  type Booking,
  bookPurchase,
  grantCredits,
  OUTSIDE_ANY_APP,
  openUserApp,
  readSpendable,
  type Spendable,
  saveLimit,
} from './wallet';
