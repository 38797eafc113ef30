import type { Microcredits, Picocredits } from '../credits';
import { parseCredits } from '../credits';
import { pool } from '../db';
import { settings } from '../env';
import { createBatcher } from './batcher';

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
  appId: string;
  keyId: string;
  appUserId: string;
  /** Commission that was in force when the hold was placed; it settles at this rate. */
  rateBp: number;
  /** Reserved, commission included: at most what `want` costs, less when the balance is smaller. */
  amount: Microcredits;
};

export type Admission = { ok: true; hold: Hold } | { ok: false; refusal: AdmissionRefusal };

export const LEASE_SECONDS = 90;

type Row = {
  n: number;
  outcome: string;
  user_id: string;
  app_id: string;
  key_id: string;
  app_user_id: string;
  rate_bp: number;
  amount: bigint;
};

const batcher = createBatcher<AdmissionRequest, Admission | 'again'>({
  run: runAdmissions,
  keyOf: (request) => request.keyHash.toString('base64'),
});

/**
 * Key → partner → model → wallet → hold, decided and written in one statement together with
 * whatever else is waiting. A revoked key or a disabled partner fails at once, on every instance.
 */
export async function admit(request: AdmissionRequest): Promise<Admission> {
  for (;;) {
    const admission = await batcher.submit(request);
    // Two keys of one user met in a batch: the second takes the next one.
    if (admission !== 'again') return admission;
  }
}

async function runAdmissions(requests: AdmissionRequest[]): Promise<(Admission | 'again')[]> {
  const asked = requests.map((request, n) => ({
    n,
    key_hash: request.keyHash.toString('hex'),
    request_id: request.requestId,
    model: request.model,
    need: request.need.toString(),
    want: request.want.toString(),
  }));
  const { rows } = await pool().query<Row>({
    name: 'ledger_admit',
    text: `SELECT * FROM ledger_admit($1::json, $2, $3, $4::interval)`,
    values: [
      JSON.stringify(asked),
      minimumBalance().toString(),
      settings().LIMIT_RUNNING_PER_USER,
      `${LEASE_SECONDS} seconds`,
    ],
  });
  const results: (Admission | 'again')[] = [];
  for (const row of rows) {
    const request = requests[row.n];
    if (request) results[row.n] = toAdmission(request, row);
  }
  return results;
}

function toAdmission(request: AdmissionRequest, row: Row): Admission | 'again' {
  if (row.outcome === 'again') return 'again';
  if (row.outcome !== 'held') return { ok: false, refusal: row.outcome as AdmissionRefusal };
  return {
    ok: true,
    hold: {
      requestId: request.requestId,
      userId: row.user_id,
      appId: row.app_id,
      keyId: row.key_id,
      appUserId: row.app_user_id,
      rateBp: row.rate_bp,
      amount: row.amount as Microcredits,
    },
  };
}

/** The smallest balance with which requests are admitted. */
export function minimumBalance(): Microcredits {
  return parseCredits(settings().MINIMUM_BALANCE_CREDITS) as Microcredits;
}
