import { createHash } from 'node:crypto';
import { canonicalJson, type Json } from './canonical-json';
import type { Reader } from './entries';

/** A price version as it is published with statements: picocredits per token, valid from a day on. */
export type PublishedPrice = { readonly [name: string]: Json };

/** Those that are known, in the order of their names. */
export async function readPrices(client: Reader, versions: readonly string[]): Promise<PublishedPrice[]> {
  const { rows } = await client.query<{ version: string; model: string; from: Date; prices: PublishedPrice }>(
    `SELECT version, model_id AS model, effective_at AS from, prices FROM model_price
     WHERE version = ANY ($1) ORDER BY version`,
    [[...new Set(versions)]],
  );
  return rows.map(({ version, model, from, prices }) => ({
    version,
    model,
    valid_from: from.toISOString(),
    ...prices,
  }));
}

/** By version: what a statement says of the prices of its receipts. */
export const hashPrices = (prices: readonly PublishedPrice[]): Record<string, string> =>
  Object.fromEntries(
    prices.map((price) => [
      String(price.version),
      createHash('sha256').update(canonicalJson(price)).digest('base64url'),
    ]),
  );
