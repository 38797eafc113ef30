import { invariant } from '../base/errors';
import {
  type Admission,
  type AdmissionRequest,
  isLimitReached,
  type KeptHold,
  readHold,
  readLack,
  readLimit,
  readLimitLack,
} from './admission';
import { submitAdmission } from './batch';
import {
  countKept,
  isUsedOften,
  keepHold,
  noteUse,
  returnHold,
  returnIdleHolds,
  returnSoon,
  takeKeptHold,
} from './kept-holds';

/** Another instance returns its idle kept holds within this time. */
const PATIENCE_MS = 1_000;
const ASK_AGAIN_AFTER_MS = 100;

/**
 * Checks key, partner, model and wallet and makes the hold, in one statement together with all other waiting
 * requests. A revoked key or a disabled partner is refused immediately, on every instance. A request that finds a
 * kept hold uses it after the same checks.
 */
export async function admit(request: AdmissionRequest): Promise<Admission> {
  const kept = request.run || request.isKept === false ? null : takeKeptHold(request);
  const admission = (kept && (await useKeptHold(kept, request))) ?? (await makeHold(request));
  if (admission.ok) noteUse(request.keyHash);
  return admission;
}

/** Null if anything is not as usual. */
async function useKeptHold(kept: KeptHold, request: AdmissionRequest): Promise<Admission | null> {
  try {
    const row = await submitAdmission({ holdId: kept.id, ...request });
    if (row?.outcome === 'held') return { ok: true, hold: { kept, ...readHold(request.requestId, row) } };
  } catch (error) {
    returnSoon(kept);
    throw error;
  }
  await returnHold(kept);
  return null;
}

async function makeHold(request: AdmissionRequest): Promise<Admission> {
  const isKept = isUsedOften(request.keyHash);
  let isPatient = true;
  for (let waitedMs = 0; ; ) {
    const row = await submitAdmission({ isKept, isPatient, ...request });
    invariant(row, 'every admission has a result');
    if (isLimitReached(row))
      return {
        ok: false,
        refusal: 'limit_reached',
        limit: readLimit(row),
        lack: readLimitLack(request, row),
        partnerId: row.partner_id,
        ...(row.budgets && { budgets: row.budgets }),
      };
    switch (row.outcome) {
      case 'held': {
        const hold = readHold(request.requestId, row);
        return { ok: true, hold: row.kept ? { kept: keepHold(request.keyHash, hold), ...hold } : hold };
      }
      // Two keys of one user were in the same batch: the second goes into the next one.
      case 'again':
        continue;
      case 'lowered_by_kept':
      case 'refused_by_kept': {
        if ((await returnIdleHolds(row.user_id)) > 0) continue;
        // Those that are left are in use, or another instance has them.
        const isElsewhere = row.amount > countKept(row.user_id);
        isPatient = row.outcome === 'refused_by_kept' && isElsewhere && waitedMs < PATIENCE_MS;
        if (!isPatient) continue;
        await new Promise((resolve) => setTimeout(resolve, ASK_AGAIN_AFTER_MS));
        waitedMs += ASK_AGAIN_AFTER_MS;
        continue;
      }
      case 'make_hold':
        throw new Error('Only a request for a kept hold gets this outcome');
      default:
        return {
          ok: false,
          refusal: row.outcome,
          lack: readLack(request, row),
          dataRules: row.data_rules,
          partnerId: row.partner_id,
          ...(row.budgets && { budgets: row.budgets }),
        };
    }
  }
}
