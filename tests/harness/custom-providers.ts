import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll } from 'vitest';
import type { WireFormatName } from '@/server/base/endpoints';
import type { OwnProvider } from '@/server/gateway/pricing/catalog-schema';

export type CustomModel = {
  provider: string;
  format: WireFormatName;
  fallbacks?: string[];
  price?: string;
  dataPolicy?: OwnProvider['dataPolicy'];
};

/** Returns the id of a provider's only model, which has the name of the provider. */
export const modelOf = (provider: string): string => `${provider}/${provider}`;

/**
 * Configures custom providers at one URL, each with one model, so that a failure of one does not
 * affect the others. Call before anything reads the settings.
 */
export function configureProviders(url: string, models: CustomModel[]): void {
  const folder = mkdtempSync(join(tmpdir(), 'catalog-'));
  afterAll(() => rmSync(folder, { recursive: true }));
  const file = join(folder, 'catalog.json');
  const providers = models.map(({ provider, format, dataPolicy }) => [
    provider,
    { format, baseUrl: `${url}/v1`, ...(dataPolicy && { dataPolicy }) },
  ]);
  writeFileSync(
    file,
    JSON.stringify({
      providers: Object.fromEntries(providers),
      models: models.map(({ provider, fallbacks = [], price = '1' }) => ({
        id: modelOf(provider),
        name: provider,
        released: '2026-01-31',
        contextWindow: 200_000,
        maxOutputTokens: 8_000,
        capabilities: ['tools', 'sampling', 'reasoning'],
        fallbacks: fallbacks.map(modelOf),
        prices: { input: price, output: price },
      })),
    }),
  );
  process.env.CATALOG_FILE = file;
}
