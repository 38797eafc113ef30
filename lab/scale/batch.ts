import { openLedgerPool } from '../../server/base/db';
import type { AdmissionRequest, AdmissionRow } from '../../server/ledger/admission';
import { openBatches } from '../../server/ledger/batch';
import type { Settlement, SettlementRow } from '../../server/ledger/settlement';
import { placeOf } from './place.mjs';

/**
 * Replaces `server/ledger/batch.ts` in the experiment: one pool and one batcher for each schema, connected to the node
 * that holds it. SCALE_URLS has their addresses.
 */

export { LEASE_SECONDS, writeBatch } from '../../server/ledger/batch';

const schemas = (process.env.SCALE_URLS ?? '').split(' ').map((url) => {
  const pool = openLedgerPool(url);
  return openBatches((batch) => pool.query(batch));
});
/** Of the keys that were admitted before. */
const placeOfKey = new Map<string, number>();

export async function submitAdmission(request: AdmissionRequest): Promise<AdmissionRow | null> {
  const key = request.keyHash.toString('latin1');
  const known = schemas[placeOfKey.get(key) ?? schemas.length];
  if (known !== undefined) return known.submitAdmission(request);
  // Only one schema has the key, and the others write nothing.
  const rows = await Promise.all(schemas.map(({ submitAdmission }) => submitAdmission(request)));
  const place = rows.findIndex((row) => row?.outcome !== 'invalid_user_key');
  if (place !== -1) placeOfKey.set(key, place);
  return rows[place === -1 ? 0 : place] ?? null;
}

export async function submitSettlement(settlement: Settlement): Promise<SettlementRow | null> {
  const schema = schemas[placeOf(settlement.userId, schemas.length)];
  return (await schema?.submitSettlement(settlement)) ?? null;
}

export const pendingWork = (): number => schemas.reduce((sum, schema) => sum + schema.pendingWork(), 0);
