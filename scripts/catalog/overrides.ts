import { readFileSync } from 'node:fs';
import { z } from 'zod';
import { CAPABILITIES, pricesSchema } from '../../server/gateway/pricing/catalog-schema';

/** `overrides.json`: decisions made by people, each with its source and date. */

const because = { source: z.string().min(1), date: z.iso.date(), note: z.string().optional() };

const overridesSchema = z.strictObject({
  models: z.array(
    z.strictObject({
      id: z.string(),
      set: z.strictObject({
        name: z.string().optional(),
        released: z.string().optional(),
        contextWindow: z.int().optional(),
        maxOutputTokens: z.int().optional(),
        capabilities: z.array(z.enum(CAPABILITIES)).optional(),
        prices: z.array(pricesSchema).optional(),
      }),
      ...because,
    }),
  ),
  /** `*` matches any characters. */
  leftOut: z.array(z.strictObject({ ids: z.array(z.string()), ...because })),
  fallbacks: z.array(z.strictObject({ ids: z.array(z.string()).min(2), ...because })),
});

export type Overrides = z.output<typeof overridesSchema>;

export function readOverrides(file: string): Overrides {
  return overridesSchema.parse(JSON.parse(readFileSync(file, 'utf8')));
}

export function newestDate({ models, leftOut, fallbacks }: Overrides): string {
  return (
    [...models, ...leftOut, ...fallbacks]
      .map(({ date }) => date)
      .sort()
      .at(-1) ?? ''
  );
}

export function matchesPattern(pattern: string, id: string): boolean {
  const source = pattern.split('*').map((part) => part.replace(/[.\\+?^${}()|[\]]/g, '\\$&'));
  return new RegExp(`^${source.join('.*')}$`).test(id);
}
