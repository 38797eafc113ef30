import { inTransaction, type Tx } from '../db';
import { ApiError, assertNever } from '../errors';
import {
  disablePartner,
  enablePartner,
  findPartner,
  type Partner,
  setAllowedModels,
  stateOf,
} from '../partners/partner';
import { setRateCap } from '../partners/rates';
import { approvePartner, declinePartner } from '../partners/sign-up';
import { type ActionName, type Operator, recordAction, requireReason } from './record';

export type PartnerChange =
  | { do: 'approve' | 'decline' | 'disable' | 'enable' }
  | { do: 'rate_cap'; rateCapBp: number }
  /** Null allows all. */
  | { do: 'models'; models: string[] | null };

type Change = { operator: Operator; partnerId: string; reason: string; change: PartnerChange };

/** What an operator does to an app, and the record of it: both or neither. */
export async function changePartner({ operator, partnerId, reason, change }: Change): Promise<void> {
  requireReason(reason);
  await inTransaction(async (tx) => {
    const before = await requirePartnerRow(tx, partnerId);
    await apply(tx, partnerId, change);
    const after = await requirePartnerRow(tx, partnerId);
    await recordAction(tx, {
      operator,
      what: `app.${change.do}` satisfies ActionName,
      subject: partnerId,
      reason,
      before: factsOf(before),
      after: factsOf(after),
    });
  });
}

async function apply(tx: Tx, partnerId: string, change: PartnerChange): Promise<void> {
  switch (change.do) {
    case 'approve':
      return requireWaiting(await approvePartner(partnerId, tx));
    case 'decline':
      return requireWaiting(await declinePartner(partnerId, tx));
    case 'disable':
      return disablePartner(partnerId, tx);
    case 'enable':
      return enablePartner(partnerId, tx);
    case 'rate_cap':
      return setRateCap(partnerId, change.rateCapBp, tx);
    case 'models':
      return setAllowedModels(partnerId, change.models, tx);
    default:
      assertNever(change);
  }
}

function requireWaiting(waited: boolean): void {
  if (!waited) throw new ApiError('invalid_request', 'This app does not wait for approval any more');
}

async function requirePartnerRow(tx: Tx, partnerId: string): Promise<Partner> {
  const partner = await findPartner(partnerId, tx);
  if (partner === null) throw new ApiError('not_found', 'There is no such app');
  return partner;
}

function factsOf(partner: Partner) {
  return {
    state: stateOf(partner),
    rate: partner.rateBp / 100,
    rate_cap: partner.rateCapBp / 100,
    models: partner.allModels ? 'all' : partner.allowedModels,
  };
}
