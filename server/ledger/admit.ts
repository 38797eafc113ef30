import { invariant } from '../errors';
import { type Admission, type AdmissionRequest, readHold } from './admission';
import { submitAdmission } from './batch';

/**
 * Checks key, partner, model and wallet and makes the hold, in one statement together with all other waiting
 * requests. A revoked key or a disabled partner is refused immediately, on every instance.
 */
export async function admit(request: AdmissionRequest): Promise<Admission> {
  for (;;) {
    const row = await submitAdmission(request);
    invariant(row, 'every admission has a result');
    if (row.outcome === 'held') return { ok: true, hold: readHold(request.requestId, row) };
    // Two keys of one user were in the same batch: the second goes into the next one.
    if (row.outcome !== 'again') return { ok: false, refusal: row.outcome, partnerId: row.partner_id };
  }
}
