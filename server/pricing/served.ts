import {
  baseUrlVariable,
  ENDPOINTS,
  isProviderName,
  keyVariable,
  SANDBOX_FORMATS,
  type WireFormatName,
} from '../endpoints';
import { isLive, readSecret, settings } from '../env';
import { type CatalogModel, catalogModels, findCatalogModel, findOwnProvider } from './catalog';

/** The address of a provider and our key for it. */
export type ProviderTarget = {
  format: WireFormatName;
  origin: string;
  /** What comes before `/chat/completions` or `/messages`. */
  basePath: string;
  apiKey: string;
};

/** Cached, because every request needs them. */
const targets = new Map<string, ProviderTarget>();

/**
 * Null for a provider that this install cannot call. A provider is configured by its key; the
 * sandbox is available as long as no real money moves.
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

/** Base URLs of the messages format are often written without a version, others with it: both work. */
function toTarget(
  format: WireFormatName,
  address: string,
  apiKey: string | undefined,
): ProviderTarget | null {
  if (apiKey === undefined) return null;
  const { origin, pathname } = new URL(address);
  const trimmed = pathname.replace(/\/+$/, '');
  const isVersioned = format === 'openai' || /\/v\d+$/.test(trimmed);
  return { format, origin, basePath: isVersioned ? trimmed : `${trimmed}/v1`, apiKey };
}

/** Models that are both priced and reachable: what is listed, and what is served. */
export function servedModels(): CatalogModel[] {
  return catalogModels().filter(isServed);
}

export function findServedModel(id: string): CatalogModel | null {
  const model = findCatalogModel(id);
  return model !== null && isServed(model) ? model : null;
}

/** What a running service would serve, including the sandbox that it starts itself. */
export function isConfigured({ provider }: CatalogModel): boolean {
  return provider in SANDBOX_FORMATS ? !isLive() : findTarget(provider) !== null;
}

const isServed = ({ provider }: CatalogModel): boolean => findTarget(provider) !== null;
