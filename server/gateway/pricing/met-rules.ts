import { ALL_RULES, NO_RULES, type RuleSet, writeRules } from '../../base/data-rules';
import { baseUrlVariable, ENDPOINTS, isProviderName, SANDBOX_FORMATS } from '../../base/endpoints';
import { settings } from '../../base/env';
import { DATA_POLICIES } from '../providers/data-policies';
import { type CatalogModel, findOwnProvider, hasAudio } from './catalog';

/** Whether requests go to the provider's own address, where its own statements apply. */
export const isItsOwnAddress = (provider: string): boolean =>
  isProviderName(provider) && settings()[baseUrlVariable(provider)] === ENDPOINTS[provider].baseUrl;

/** The rules that a provider meets, by what it says or the operator has agreed with it. What is not known is not met. */
export function rulesMetBy(provider: string): RuleSet {
  if (provider in SANDBOX_FORMATS) return ALL_RULES;
  const agreed = settings().DATA_AGREEMENTS.get(provider) ?? NO_RULES;
  if (!isProviderName(provider))
    return agreed | writeRules(findOwnProvider(provider)?.dataPolicy?.rules ?? []);
  return agreed | (isItsOwnAddress(provider) ? writeRules(DATA_POLICIES[provider].rules) : NO_RULES);
}

const NO_RETENTION = writeRules(['no_retention']);

/** The rules that requests to a model meet. */
export const rulesOf = (model: Pick<CatalogModel, 'provider' | 'type' | 'prices'>): RuleSet =>
  isStored(model) ? rulesMetBy(model.provider) & ~NO_RETENTION : rulesMetBy(model.provider);

/**
 * Whatever the operator has agreed with it, a provider stores batches and videos for days, and OpenAI what a model says
 * for an hour. Source: OpenAI's guide "Data controls", 2026.
 */
const isStored = (model: Pick<CatalogModel, 'provider' | 'type' | 'prices'>): boolean =>
  model.type === 'batch' || (isProviderName(model.provider) && (model.type === 'video' || hasAudio(model)));

/** Asks a provider to store the prompt for a day, whatever the operator has agreed with it. */
const RETAINS = 'prompt_cache_retention';

/** The request as the rules allow it, with a warning for what was dropped. */
export function withinRules<Client extends { body: object }>(
  client: Client,
  rules: RuleSet,
): { client: Client; dropped: string[] } {
  const { body } = client;
  if ((rules & NO_RETENTION) === 0 || !(RETAINS in body)) return { client, dropped: [] };
  const within = Object.assign({}, client, { body: { ...body, [RETAINS]: undefined } });
  return { client: within, dropped: [`${RETAINS} was dropped`] };
}
