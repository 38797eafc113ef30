import { creditsToJson } from '../base/credits';
import { SANDBOX_FORMATS } from '../base/endpoints';
import { estimateCredits } from '../gateway/pricing/estimate';
import { modelsOf } from '../gateway/pricing/served';
import { minimumBalance } from '../ledger';
import { findPartner } from '../partners/partner';

/** Of about 400 words, to a question with some context. The front page shows the price of the same request. */
const TYPICAL = { input: 2_500, output: 500 };

/**
 * What an answer costs in an app with the mid-priced of the models it may use, so that a buyer can judge an amount. Null
 * if it has no models, or they cost next to nothing.
 */
export async function findTypicalAnswer(
  partnerId: string,
): Promise<{ credits: number; model: string } | null> {
  const partner = await findPartner(partnerId);
  if (partner === null) return null;
  const allowed = modelsOf(partner).filter(({ type }) => type === 'language');
  const real = allowed.filter(({ provider }) => !(provider in SANDBOX_FORMATS));
  const byCost = (real.length > 0 ? real : allowed)
    .map((model) => ({ model: model.name, credits: estimateCredits(model, TYPICAL, partner.rateBp) }))
    .filter(({ credits }) => credits >= creditsToJson(minimumBalance()))
    .sort((a, b) => a.credits - b.credits || a.model.localeCompare(b.model));
  return byCost[Math.floor((byCost.length - 1) / 2)] ?? null;
}
