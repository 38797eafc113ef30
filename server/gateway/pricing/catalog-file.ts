import { readFileSync } from 'node:fs';
import { z } from 'zod';
import { ENDPOINTS, isProviderName, SANDBOX_FORMATS, type WireFormatName } from '../../base/endpoints';
import { SettingsError } from '../../base/env';
import { type ModelEntry, modelSchema, type OwnProvider, providerSchema } from './catalog-schema';

/**
 * The operator's CATALOG_FILE: additional models, overridden fields of known models, and the operator's own
 * providers. An error in the file stops the start with its location.
 */

export type CatalogFile = { providers: Readonly<Record<string, OwnProvider>>; models: ModelEntry[] };

export const NO_FILE: CatalogFile = { providers: {}, models: [] };

const outerSchema = z.strictObject({
  providers: z
    .record(z.string().regex(/^[a-z][a-z0-9-]*$/, { error: 'a name such as acme' }), providerSchema)
    .default({}),
  models: z.array(z.looseObject({ id: z.string({ error: 'an id such as acme/large-2' }) })).default([]),
});

export function readCatalogFile(file: string, known: ReadonlyMap<string, ModelEntry>): CatalogFile {
  const { providers, models } = parseAt('', outerSchema, readJson(file));
  const taken = Object.keys(providers).find((name) => isProviderName(name) || name in SANDBOX_FORMATS);
  if (taken !== undefined) throw mistake(`providers.${taken}`, 'another name, because this one is built in');
  const problems: string[] = [];
  const entries = models.flatMap((given, i) => {
    try {
      return [readModel(`models[${i}]`, completeEntry(given, known.get(given.id)), providers)];
    } catch (error) {
      if (!(error instanceof SettingsError)) throw error;
      problems.push(error.message);
      return [];
    }
  });
  if (problems.length > 0) throw new SettingsError(problems.join('\n'));
  return { providers, models: entries };
}

function readModel(place: string, given: unknown, providers: CatalogFile['providers']): ModelEntry {
  const entry = parseAt(place, modelSchema, given);
  const provider = entry.id.slice(0, entry.id.indexOf('/'));
  const format = formatOf(provider, providers);
  if (format === undefined) {
    throw mistake(`${place}.id`, `a provider that is built in or listed under providers, not "${provider}"`);
  }
  if (entry.type !== 'language' && format !== 'openai')
    throw mistake(`${place}.type`, `"language", because ${provider} does not speak the openai format`);
  return entry;
}

function formatOf(provider: string, own: CatalogFile['providers']): WireFormatName | undefined {
  if (isProviderName(provider)) return ENDPOINTS[provider].format;
  return SANDBOX_FORMATS[provider] ?? own[provider]?.format;
}

/**
 * Completes an entry: omitted fields of a known model keep their values. A single price does not need a list.
 */
function completeEntry(given: Record<string, unknown>, known: ModelEntry | undefined): unknown {
  const prices = given.prices === undefined || Array.isArray(given.prices) ? given.prices : [given.prices];
  return { ...known, ...given, ...(prices !== undefined && { prices, pricedBy: undefined }) };
}

function readJson(file: string): unknown {
  try {
    return JSON.parse(readFileSync(file, 'utf8'));
  } catch (error) {
    const reason = error instanceof SyntaxError ? `is not JSON: ${error.message}` : 'cannot be read';
    throw new SettingsError(`CATALOG_FILE: ${file} ${reason}`);
  }
}

function parseAt<Schema extends z.ZodType>(place: string, schema: Schema, value: unknown): z.output<Schema> {
  const result = schema.safeParse(value);
  if (result.success) return result.data;
  const lines = result.error.issues.map(
    (issue) => mistake(writePlace(place, issue.path), writeExpected(issue)).message,
  );
  throw new SettingsError(lines.join('\n'));
}

const mistake = (place: string, expected: string): SettingsError =>
  new SettingsError(`CATALOG_FILE${place && ` ${place}`}: expected ${expected}`);

function writeExpected(issue: z.core.$ZodIssue): string {
  if (issue.code === 'unrecognized_keys') return `no ${issue.keys.join(', ')}`;
  return issue.message.replace(/^Invalid input: expected /, '');
}

function writePlace(start: string, path: readonly PropertyKey[]): string {
  return path.reduce<string>(
    (place, key) => (typeof key === 'number' ? `${place}[${key}]` : `${place}${place && '.'}${String(key)}`),
    start,
  );
}
