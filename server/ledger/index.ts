/** The public interface of the ledger: nothing outside imports its other files. */
export type {
  Admission,
  AdmissionRefusal,
  Hold,
  Lack,
  LimitScope,
  ReachedLimit,
  ReachedSpendingLimit,
  Run,
  Shortfall,
} from './admission';
export { runKeyOf } from './admission';
export { admit } from './admit';
export { type ArchivedMonth, findLatestCutoff, mayRemove, removeArchived, writeArchive } from './archive';
export { ArchiveError } from './archive-files';
export { readArchivedUntil } from './archived-until';
export { createBatcher } from './batcher';
export {
  type Budget,
  leftOf,
  openBudget,
  type RunSum,
  raiseBudget,
  readBudgets,
  readRun,
  removeBudgets,
} from './budgets';
export { checkBooks, checkLedger } from './check';
export { checkArchive } from './check-archive';
export { clawBack } from './claw-back';
export {
  bookCorrections,
  type CorrectionDue,
  closeProposal,
  openProposal,
  writeProposal,
} from './corrections';
export { drainLedger } from './drain';
export { type Earnings, readEarnings } from './earnings';
export { findArchived } from './find-archived';
export { type HistoryEntry, type HistoryPage, readHistory, readRecentOutputs } from './history';
export { giveToJob, type JobEnd, settleJob } from './job-holds';
export { LEDGER_JOBS } from './jobs';
export { returnIdleHolds } from './kept-holds';
export { countRunning, keepLease, sweepHolds } from './lease';
export {
  ALL_APPS,
  isKnownZone,
  type Limits,
  type LimitsInUse,
  PERIODS,
  type Period,
  readLimits,
  readPartnerLimits,
  readReachedLimit,
  readStops,
  removeLimits,
  resumeSpending,
  saveLimits,
  stopSpending,
} from './limits';
export { type Loss, type LossReason, recordLoss, untilCommitted } from './losses';
export { minimumBalance } from './minimum-balance';
export { readOutcome } from './outcome';
export {
  type AppEarnings,
  createPayout,
  type PayoutCreation,
  type PayoutState,
  readExposure,
  readTeamEarnings,
  returnPayout,
} from './payouts';
export { type PocketLimit, readPockets } from './pockets';
export {
  bookBonus,
  type PromotionRefusal,
  readRefusal,
  redeemGift,
  reservePromotion,
} from './promotions';
export {
  findReceipt,
  JOIN_RUN_KEY,
  type ReceiptCorrection,
  readCorrections,
  type StoredReceipt,
} from './receipt';
export {
  type AskedRefund,
  askRefund,
  type Refundable,
  type RefundRequest,
  readRefundable,
} from './refunds';
export { resumePartner, resumeUser } from './resume';
export { capture, release } from './settle';
export { takeSettledUsers } from './settled-users';
export type { Receipt, ReceiptAttempt } from './settlement';
export { pauseInCommand } from './steps';
export { readUsageDays, rollUpUsage, type UsageDay, type UsageFilter } from './usage-days';
export {
  type Booking,
  bookPurchase,
  canSpend,
  grantCredits,
  lockAllowance,
  OUTSIDE_ANY_APP,
  openUserApp,
  openWallet,
  pauseAllowance,
  readSpendable,
  resumeAllowance,
  type Spendable,
  saveAllowance,
  takeCredits,
} from './wallet';
export { warmLedger } from './warm';
