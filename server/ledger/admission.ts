import type { Microcredits, Picocredits } from '../credits';

/** Why an app cannot spend: the same codes as the balance's status and the 402. */
export type Shortfall = 'insufficient_credits' | 'partner_not_permitted' | 'partner_limit_reached';

export type AdmissionRefusal =
  | 'invalid_user_key'
  | 'partner_disabled'
  | 'model_not_allowed'
  /** The user has as many requests running as one user may. */
  | 'too_many_running'
  /** Only the user's own running requests are in the way. */
  | 'busy'
  | Shortfall;

export type AdmissionRequest = {
  keyHash: Buffer;
  requestId: string;
  model: string;
  /** Exact cost, before commission, of the least that makes sense: the input and one token. */
  need: Picocredits;
  /** Exact cost, before commission, of the worst case that is sent upstream. */
  want: Picocredits;
};

export type Hold = {
  requestId: string;
  userId: string;
  partnerId: string;
  keyId: string;
  appUserId: string;
  /** Commission that was in force when the hold was placed; it settles at this rate. */
  rateBp: number;
  /** Reserved, commission included: at most what `want` costs, less when the balance is smaller. */
  amount: Microcredits;
};

export type Admission =
  | { ok: true; hold: Hold }
  /** Whose key it was, where there is such a key. */
  | { ok: false; refusal: AdmissionRefusal; partnerId: string | null };

/** A row of `ledger_batch` that answers an admission. */
export type AdmissionRow =
  | HeldRow
  /** Of an unknown key there is nothing to tell. */
  | { outcome: AdmissionRefusal | 'again'; partner_id: string | null };

type HeldRow = {
  outcome: 'held';
  user_id: string;
  partner_id: string;
  key_id: string;
  app_user_id: string;
  rate_bp: number;
  amount: bigint;
};

/** What `ledger_batch` takes of each admission, in the order of its parameters. */
export const ADMISSION_COLUMNS: ((request: AdmissionRequest) => unknown)[] = [
  ({ keyHash }) => keyHash,
  ({ requestId }) => requestId,
  ({ model }) => model,
  ({ need }) => need,
  ({ want }) => want,
];

export function readHold(requestId: string, row: HeldRow): Hold {
  return {
    requestId,
    userId: row.user_id,
    partnerId: row.partner_id,
    keyId: row.key_id,
    appUserId: row.app_user_id,
    rateBp: row.rate_bp,
    amount: row.amount as Microcredits,
  };
}
