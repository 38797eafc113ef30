import { settings } from '../../base/env';
import { readModelAccess } from '../../partners/model-access';
import type { Caller } from '../../people/access/authenticate';
import { type Candidates, meeting } from './candidates';
import { dataRulesNotMet, modelNotAllowed, modelNotAllowedForKey } from './refusals';

/**
 * The candidates that meet the data rules, and the commission of the app. Fails with the error that a request would get
 * for its model. Requests are checked with the hold: see `ledger_batch`.
 */
export async function requireModelAccess(
  caller: Caller,
  candidates: Candidates,
): Promise<{ allowed: Candidates; rateBp: number }> {
  const model = candidates[0].model.id;
  const { isAllowed, dataRules, rateBp } = await readModelAccess(caller, model);
  if (!isAllowed) throw modelNotAllowed(model);
  const required = settings().DATA_RULES | dataRules;
  const allowed = meeting(required, candidates);
  if (allowed === null) throw dataRulesNotMet(model, required);
  if (caller.models?.includes(model) === false) throw modelNotAllowedForKey(model);
  return { allowed, rateBp };
}
