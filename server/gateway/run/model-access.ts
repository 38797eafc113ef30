import { isModelAllowed } from '../../partners/model-access';
import type { Caller } from '../../people/access/authenticate';
import { modelNotAllowed, modelNotAllowedForKey } from './refusals';

/** Fails with the error that a request would get for its model. Requests are checked with the hold: see `ledger_batch`. */
export async function requireModelAccess({ partnerId, models }: Caller, model: string): Promise<void> {
  if (!(await isModelAllowed(partnerId, model))) throw modelNotAllowed(model);
  if (models?.includes(model) === false) throw modelNotAllowedForKey(model);
}
