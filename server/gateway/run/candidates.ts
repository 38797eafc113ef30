import { NO_RULES, type RuleSet, unmetRules } from '../../base/data-rules';
import { type CatalogModel, findCatalogModel, hasAudio } from '../pricing/catalog';
import { rulesOf } from '../pricing/met-rules';
import { findTarget, type ProviderTarget, toGoogleTarget } from '../pricing/served';
import { type ProviderProfile, profileOf } from '../providers/profiles';

/** A model and provider that could serve a request, with everything needed to call it. */
export type Candidate = { model: CatalogModel; target: ProviderTarget; profile: ProviderProfile };

/** In order of preference; the first is the model that was requested. */
export type Candidates = readonly [Candidate, ...Candidate[]];

/**
 * Returns null when this installation does not serve the model. Fallbacks that it cannot call are omitted.
 */
export function resolveCandidates(id: string): Candidates | null {
  const requested = findCandidate(id);
  if (requested === null) return null;
  return [requested, ...requested.model.fallbacks.flatMap((fallback) => findCandidate(fallback) ?? [])];
}

export function findCandidate(id: string): Candidate | null {
  const model = findCatalogModel(id);
  if (model === null) return null;
  const target = findTarget(model.provider);
  if (target === null) return null;
  const profile = profileOf(model.provider, target.format);
  if (hasAudio(model))
    return { model, target, profile: { ...profile, countsAudio: true, takesResponses: false } };
  const isGoogles =
    (model.type === 'video' && profile.videos?.api === 'google') ||
    (model.type === 'image' && profile.images === 'google');
  return { model, target: isGoogles ? toGoogleTarget(target) : target, profile };
}

/** The data rules that each one meets. */
export const policiesOf = (candidates: Candidates): RuleSet[] =>
  candidates.map(({ model }) => rulesOf(model));

/** Those that meet the rules; null if none does. */
export function meeting(rules: RuleSet, candidates: Candidates): Candidates | null {
  if (rules === NO_RULES) return candidates;
  const [first, ...others] = candidates.filter(({ model }) => unmetRules(rules, rulesOf(model)) === NO_RULES);
  return first === undefined ? null : [first, ...others];
}

/** Whether the provider runs web searches at a price that is known. */
export const runsSearches = ({ model, profile }: Candidate): boolean =>
  model.prices.webSearch !== undefined && profile.webSearch !== null;
