import type { CatalogModel } from '@/server/pricing/catalog';
import { estimateCredits } from '@/server/pricing/estimate';

export type Example = Pick<CatalogModel, 'id' | 'name' | 'prices'>;

/** The size that the pricing endpoint assumes too. */
export const EXAMPLE_SIZE = { input: 2_500, output: 2_500 };

/** A cheap, a middling and a dear one of the models that the app may use. */
export function chooseExamples(models: CatalogModel[]): Example[] {
  const cost = (model: Example) => estimateCredits(model, EXAMPLE_SIZE, 0);
  const sorted = models.filter((model) => cost(model) > 0).sort((a, b) => cost(a) - cost(b));
  const places = new Set([0, Math.floor((sorted.length - 1) / 2), sorted.length - 1]);
  return [...places]
    .flatMap((place) => sorted[place] ?? [])
    .map(({ id, name, prices }) => ({ id, name, prices }));
}
