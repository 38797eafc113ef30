import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { afterAll, expect, test } from 'vitest';
import { buildCatalog } from '@/server/gateway/pricing/catalog';
import { readBlock } from '../../harness/blocks';

/** The examples of CATALOG_FILE in the guides. */

const folder = mkdtempSync(path.join(tmpdir(), 'catalogue-'));
afterAll(() => rmSync(folder, { recursive: true }));

function build(text: string) {
  const file = path.join(folder, 'models.json');
  writeFileSync(file, text);
  return buildCatalog(file);
}

test('the file in the catalogue guide adds a provider and a model, and changes a price', () => {
  const { entries, providers } = build(readBlock('docs/catalogue.md', 'acme/llama-3'));
  expect(providers.acme).toMatchObject({ format: 'openai', keyVariable: 'ACME_API_KEY' });
  expect(entries.get('acme/llama-3')).toMatchObject({ name: 'Llama 3', prices: [{ input: '0.10' }] });
  expect(entries.get('openai/gpt-4.1')?.prices).toMatchObject([{ input: '2', cacheRead: '0.5' }]);
});

test('the price by hour in the catalogue guide is one that a model can have', () => {
  const prices = JSON.parse(readBlock('docs/catalogue.md', '"offPeak"'));
  const { entries } = build(JSON.stringify({ models: [{ id: 'openai/gpt-4.1', prices }] }));
  expect(entries.get('openai/gpt-4.1')?.prices).toMatchObject([
    { input: '0.3', offPeak: { input: '0.15', peak: prices.offPeak.peak } },
  ]);
});

test('the data policy in the guide is one that a provider can have', () => {
  const { providers } = build(readBlock('docs/data.md', 'dataPolicy'));
  expect(providers.acme?.dataPolicy).toMatchObject({ region: 'Austria' });
});
