import { SECOND_MS } from '../base/clock';
import { chargeFor, type Microcredits, microcredits, type Picocredits } from '../base/credits';
import type { RuleSet } from '../base/data-rules';
import { minimumBalance } from './minimum-balance';

/** The reason why a partner cannot spend, as reported in the balance status and in a 402. */
export type Shortfall = 'insufficient_credits' | 'partner_not_permitted' | 'partner_limit_reached';

/** `paused_for_review`: the overruns of the user, or of the app, passed their limit. */
export type SpendStatus = 'ok' | 'paused_for_review' | Shortfall;

export type AdmissionRefusal =
  | 'invalid_user_key'
  | 'partner_disabled'
  /** The key may not be used from here: see `ledger_key_restriction`. */
  | 'restricted_to_app_networks'
  | 'restricted_to_key_networks'
  | 'restricted_to_key_origins'
  | 'model_not_allowed'
  /** No candidate meets the data rules of the operator, the app and the user. */
  | 'data_rules_not_met'
  | 'paused_for_review'
  /** The user has reached the limit of running requests. */
  | 'too_many_running'
  /** A limit of the user's own, or of the partner, refuses it: `limit` says which. */
  | 'limit_reached'
  /** The request would fit if none of the user's requests were running. */
  | 'busy'
  | Shortfall;

export type AdmissionRequest = {
  keyHash: Buffer;
  requestId: string;
  model: string;
  /** Exact cost, before commission, of the smallest useful response: the input and one token. */
  need: Picocredits;
  /** Exact cost, before commission, of the most expensive response that the request allows. */
  want: Picocredits;
  /** Exact cost, before commission, of a likely response: what the hold takes beyond it, it leaves for other requests, too. */
  enough?: Picocredits | undefined;
  /** The most that the request may hold, and so cost; null for no ceiling. */
  ceiling?: Microcredits | null;
  /** The data rules that each candidate meets; without them, none. */
  policies?: readonly RuleSet[];
  /** The run that the request belongs to. */
  run?: Run | null;
  /** Where the key is used from. A restricted key is refused if it is not known. */
  clientIp?: string | null;
  origin?: string | null;
  /** The kept hold that the request would use. */
  holdId?: string;
  /** Whether the hold that the request makes may be kept. If not, it uses no kept hold either. */
  isKept?: boolean;
  /** Whether the request can wait for kept holds to be returned. */
  isPatient?: boolean;
};

/** Requests that the caller groups: `credits` is the most that they may cost together; null for no limit, or a known run. */
export type Run = { id: string; credits: Microcredits | null };

export type Hold = {
  requestId: string;
  userId: string;
  partnerId: string;
  keyId: string;
  appUserId: string;
  /** The commission when the hold was made; the request settles at this rate. */
  rateBp: number;
  /** Includes the commission. The charge for `want`, or less: see `enough`, and at most the balance. */
  amount: Microcredits;
  /** The budgets that it draws on. */
  budgets?: readonly string[];
  /** The data rules in force, which at least one candidate meets. */
  dataRules: RuleSet;
  /** The row that holds it, if that outlives the request. */
  kept?: KeptHold;
};

/** A hold that outlives its request: see `kept-holds.ts`. */
export type KeptHold = {
  /** The request that made it, which its row is named after. */
  id: string;
  userId: string;
  keyHash: Buffer;
  rateBp: number;
  amount: Microcredits;
  madeAtMs: number;
  /** The request that uses it now; null if none does. */
  usedBy: string | null;
  idleSinceMs: number;
  /** The settlement of the request that uses it is under way. */
  isSettling: boolean;
  /** Its row contains what a request was metered, so no other may use it. */
  isMetered: boolean;
  /** While it is being released. */
  returning: Promise<void> | null;
};

/** The uppermost run key among them; undefined for an ordinary key. */
export const runKeyOf = (budgets: readonly string[] | undefined): string | undefined =>
  budgets?.find((id) => !id.startsWith('run:'));

export type Admission =
  | { ok: true; hold: Hold }
  /** `partnerId` is null if the key does not exist. */
  | {
      ok: false;
      refusal: AdmissionRefusal;
      limit?: ReachedLimit;
      lack?: Lack | null;
      /** Those in force, if no candidate meets them. */
      dataRules?: RuleSet | null;
      partnerId: string | null;
      budgets?: readonly string[];
    };

/** The credits that the smallest useful response needs, and those that the app can spend now. */
export type Lack = { needed: Microcredits; available: Microcredits };

/** Of a limit: the user set it for the app, or for all apps together; or it is the partner's. */
export type LimitScope = 'app' | 'all' | 'partner';

/** `stop`: the user has stopped the apps. */
export type ReachedSpendingLimit = {
  kind: 'stop' | 'model' | 'request' | 'month' | 'week' | 'day';
  scope: LimitScope;
  /** When the period ends; null if the limit is of no period. */
  resetsAt: Date | null;
};

/** Or what the caller set. `credits` of a `request`: its ceiling. `ceiling` of a run: it has another one. */
export type ReachedLimit = {
  kind: ReachedSpendingLimit['kind'] | 'credits' | 'requests' | 'ceiling';
  scope: LimitScope | 'request' | 'key' | 'run';
  resetsAt: Date | null;
};

/** A row of `ledger_batch` for an admission. */
export type AdmissionRow = {
  /** The budgets that it draws on, or would have. */
  budgets: string[] | null;
} & (
  | HeldRow
  /** Without kept holds, the request might fit or get more. `amount` is how many the user has. */
  | { outcome: 'refused_by_kept' | 'lowered_by_kept'; user_id: string; amount: bigint }
  /** `amount` is when the limit resets, in seconds since 1970; of a budget, what it has left. */
  | { outcome: LimitOutcome; partner_id: string; rate_bp: number; amount: bigint }
  /** `partner_id` and the rest are null for an unknown key. `amount` is what the app can spend, `want` at most. */
  | {
      outcome: Exclude<AdmissionRefusal, 'limit_reached'> | 'again' | 'make_hold';
      partner_id: string | null;
      rate_bp: number | null;
      amount: bigint | null;
      data_rules: RuleSet | null;
    }
);

type LimitOutcome = `limit_${ReachedLimit['kind']}_${ReachedLimit['scope']}`;

type HeldRow = {
  outcome: 'held';
  user_id: string;
  partner_id: string;
  key_id: string;
  app_user_id: string;
  rate_bp: number;
  amount: bigint;
  kept: boolean;
  data_rules: RuleSet;
};

/** The columns of an admission that `ledger_batch` takes, in the order of its parameters. */
export const ADMISSION_COLUMNS: ((request: AdmissionRequest) => unknown)[] = [
  ({ keyHash }) => keyHash,
  ({ requestId }) => requestId,
  ({ model }) => model,
  ({ need }) => need,
  ({ want }) => want,
  ({ enough }) => enough ?? null,
  ({ clientIp }) => clientIp ?? null,
  ({ origin }) => origin ?? null,
  ({ holdId }) => holdId ?? null,
  ({ isKept }) => isKept ?? false,
  ({ isPatient }) => isPatient ?? false,
  ({ ceiling }) => ceiling ?? null,
  ({ run }) => run?.id ?? null,
  ({ run }) => run?.credits ?? null,
  ({ policies = [] }) => `{${policies.join()}}`,
];

/** What is missing for a request that was refused; null for a key that cannot pay at all. */
export function readLack(
  { need }: AdmissionRequest,
  { rate_bp: rateBp, amount }: { rate_bp: number | null; amount: bigint | null },
): Lack | null {
  if (rateBp === null || amount === null) return null;
  const { charge } = chargeFor(need, rateBp);
  const minimum = minimumBalance();
  const available = microcredits(amount > 0n ? amount : 0n);
  return { needed: charge > minimum ? charge : minimum, available };
}

/** What the request costs at least, and what its ceiling or budget leaves it. */
export function readLimitLack(
  { need, ceiling }: AdmissionRequest,
  { outcome, rate_bp: rateBp, amount }: { outcome: LimitOutcome; rate_bp: number; amount: bigint },
): Lack {
  const available = outcome === 'limit_credits_request' ? (ceiling ?? amount) : amount;
  return { needed: chargeFor(need, rateBp).charge, available: microcredits(available) };
}

export function readHold(requestId: string, row: HeldRow & Pick<AdmissionRow, 'budgets'>): Hold {
  return {
    requestId,
    userId: row.user_id,
    partnerId: row.partner_id,
    keyId: row.key_id,
    appUserId: row.app_user_id,
    rateBp: row.rate_bp,
    amount: row.amount as Microcredits,
    dataRules: row.data_rules,
    ...(row.budgets && { budgets: row.budgets }),
  };
}

export function readLimit({ outcome, amount }: { outcome: LimitOutcome; amount: bigint }): ReachedLimit {
  const [, kind, scope] = outcome.split('_') as ['limit', ReachedLimit['kind'], ReachedLimit['scope']];
  const isOfPeriod = kind === 'day' || kind === 'week' || kind === 'month';
  return { kind, scope, resetsAt: isOfPeriod ? new Date(Number(amount) * SECOND_MS) : null };
}

export const isLimitReached = (row: AdmissionRow): row is Extract<AdmissionRow, { outcome: LimitOutcome }> =>
  row.outcome.startsWith('limit_');
