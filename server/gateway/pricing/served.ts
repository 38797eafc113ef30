import { ALL_RULES, NO_RULES, type RuleSet, unmetRules } from '../../base/data-rules';
import {
  baseUrlVariable,
  ENDPOINTS,
  isProviderName,
  keyVariable,
  SANDBOX_FORMATS,
  type WireFormatName,
} from '../../base/endpoints';
import { isLive, readSecret, settings } from '../../base/env';
import { ordinaryIdOf } from './batch-models';
import { type CatalogModel, catalogModels, findCatalogModel, findOwnProvider } from './catalog';
import { rulesOf } from './met-rules';

/** The URL and key for requests to a provider. */
export type ProviderTarget = {
  format: WireFormatName;
  origin: string;
  /** The path before `/chat/completions` or `/messages`. */
  basePath: string;
  apiKey: string;
  /** The header of the key, where it is not that of the format. */
  keyHeader?: string;
};

/** Cached, because every request needs one. */
const targets = new Map<string, ProviderTarget>();

/**
 * Returns null for a provider that is not configured. Setting its key configures a provider; the sandbox is
 * available while it is open.
 */
export function findTarget(provider: string): ProviderTarget | null {
  const target = targets.get(provider) ?? readTarget(provider);
  if (target !== null) targets.set(provider, target);
  return target;
}

function readTarget(provider: string): ProviderTarget | null {
  const config = settings();
  if (isProviderName(provider)) {
    const { format } = ENDPOINTS[provider];
    return toTarget(format, config[baseUrlVariable(provider)], config[keyVariable(provider)]);
  }
  const sandbox = SANDBOX_FORMATS[provider];
  if (sandbox !== undefined) {
    return isLive() || !config.SANDBOX_PROVIDER_URL
      ? null
      : toTarget(sandbox, config.SANDBOX_PROVIDER_URL, 'sandbox');
  }
  const own = findOwnProvider(provider);
  if (own === null) return null;
  return toTarget(
    own.format,
    own.baseUrl,
    own.keyVariable === undefined ? 'none' : readSecret(own.keyVariable),
  );
}

/** Accepts base URLs with and without a version: clients of the messages format omit it, others include it. */
function toTarget(
  format: WireFormatName,
  address: string,
  apiKey: string | undefined,
): ProviderTarget | null {
  if (apiKey === undefined) return null;
  const { origin, pathname } = new URL(address);
  const trimmed = pathname.replace(/(?<!\/)\/+$/, '');
  const isVersioned = format === 'openai' || /\/v\d+$/.test(trimmed);
  return { format, origin, basePath: isVersioned ? trimmed : `${trimmed}/v1`, apiKey };
}

/** Google's own API is next to the one in OpenAI's format, and takes the key in another header. */
export const toGoogleTarget = (target: ProviderTarget): ProviderTarget => ({
  ...target,
  basePath: target.basePath.replace(/\/openai$/, ''),
  keyHeader: 'x-goog-api-key',
});

/** Models with a price and a configured provider: the ones that are listed and served. */
export function servedModels(): CatalogModel[] {
  return catalogModels().filter(isServed);
}

const isChoosable = ({ type }: CatalogModel): boolean => type !== 'batch';

/** Those that can be allowed or excluded. What holds for a model holds for its batches. */
export const choosableModels = (): CatalogModel[] => servedModels().filter(isChoosable);

/** The models that an app may use. */
export const modelsOf = ({ allModels, allowedModels, dataRules }: ModelChoice): CatalogModel[] =>
  servedModels().filter(
    (model) => (allModels || allowedModels.includes(ordinaryIdOf(model.id))) && meetsRules(model, dataRules),
  );

type ModelChoice = { allModels: boolean; allowedModels: readonly string[]; dataRules: RuleSet };

/** How many models would be left with any choice of rules, without their batches. */
export function countByRules(models: readonly CatalogModel[]): Record<RuleSet, number> {
  const counted = models.filter(isChoosable);
  const choices = Array.from({ length: ALL_RULES + 1 }, (_, rules) => rules);
  return Object.fromEntries(
    choices.map((rules) => [rules, counted.filter((model) => meetsRules(model, rules)).length]),
  );
}

export function findServedModel(id: string): CatalogModel | null {
  const model = findCatalogModel(id);
  return model !== null && isServed(model) ? model : null;
}

/**
 * The model that is served under this name if its provider is left out. Null if several providers serve one, or
 * if the name is the id of a model of its own.
 */
export function findUnprefixedModel(name: string): CatalogModel | null {
  if (findCatalogModel(name) !== null) return null;
  const [found, ...others] = servedModels().filter(({ id, provider }) => id === `${provider}/${name}`);
  return found === undefined || others.length > 0 ? null : found;
}

/** Whether a running service would serve the model. The service itself starts the sandbox. */
export function isConfigured({ provider }: CatalogModel): boolean {
  return provider in SANDBOX_FORMATS ? !isLive() : findTarget(provider) !== null;
}

const isServed = (model: CatalogModel): boolean =>
  findTarget(model.provider) !== null && meetsRules(model, settings().DATA_RULES);

/** Whether the provider of the model, or of a fallback, meets the data rules. */
export function meetsRules({ id, fallbacks }: CatalogModel, rules: RuleSet): boolean {
  if (rules === NO_RULES) return true;
  return [id, ...fallbacks].some((candidate) => {
    const model = findCatalogModel(candidate);
    return (
      model !== null && findTarget(model.provider) !== null && unmetRules(rules, rulesOf(model)) === NO_RULES
    );
  });
}
