import { findFile } from './read-source';
import { type SourceLevel, type SourcePrices, toDecimal } from './source-prices';

/** Prices from LiteLLM: its wheel from PyPI, or its model_prices_and_context_window.json. */

export type LiteLlm = { find(provider: string, model: string): SourcePrices | undefined };

type Entry = { [name: string]: unknown };

/** Its names of providers, which also begin its ids. First-party ids of some providers have no such start. */
export function readLiteLlm(bytes: Buffer): LiteLlm {
  const text = findFile(bytes, /^$|litellm\/model_prices_and_context_window_backup\.json$/);
  if (text === null) throw new Error('the archive has no model_prices_and_context_window_backup.json');
  const entries = JSON.parse(text) as Record<string, Entry>;
  return {
    find(provider, model) {
      const entry = [`${provider}/${model}`, model]
        .map((id) => entries[id])
        .find((some) => some?.litellm_provider === provider);
      const levels = entry && toLevels(entry);
      return levels?.[0]?.classes.input === undefined ? undefined : levels;
    },
  };
}

const TIER = /^input_cost_per_token_above_(\d+)k_tokens$/;

function toLevels(entry: Entry): SourcePrices {
  const tiers = Object.keys(entry).flatMap((name) => Number(TIER.exec(name)?.[1]) || []);
  return [
    levelOf(entry, ''),
    ...tiers.sort((a, b) => a - b).map((k) => levelOf(entry, `_above_${k}k_tokens`, k * 1000)),
  ];
}

function levelOf(entry: Entry, suffix: string, above = 0): SourceLevel {
  const price = (name: string) => {
    const perToken = entry[`${name}${suffix}`];
    return typeof perToken === 'number' ? toDecimal(perToken * 1_000_000) : undefined;
  };
  const named = {
    input: price('input_cost_per_token'),
    output: price('output_cost_per_token'),
    cacheRead: price('cache_read_input_token_cost'),
    cacheWrite5m: price('cache_creation_input_token_cost'),
    cacheWrite1h: price('cache_creation_input_token_cost_above_1hr'),
  };
  return {
    above,
    classes: Object.fromEntries(Object.entries(named).filter(([, given]) => given !== undefined)),
  };
}
