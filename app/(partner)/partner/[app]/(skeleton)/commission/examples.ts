import type { CatalogModel } from '@/server/gateway/pricing/catalog';
import { estimateCredits } from '@/server/gateway/pricing/estimate';

export type Example = Pick<CatalogModel, 'id' | 'name' | 'prices'>;

/** The request size that the pricing endpoint also assumes. */
export const EXAMPLE_SIZE = { input: 2_500, output: 2_500 };

const EXAMPLES = 3;

/**
 * The models that users of the app use most, and then a cheap, a mid-priced and an expensive one among those the app may
 * use. Includes models that are priced but not served where an installation serves too few for three examples.
 */
export function chooseExamples(used: string[], served: CatalogModel[], priced: CatalogModel[]): Example[] {
  const top = used.flatMap((id) => priced.find((model) => model.id === id) ?? []).map(toExample);
  const examples = pickByCost(served);
  const others = examples.length < EXAMPLES ? pickByCost(priced) : examples;
  return [...top, ...others.filter(({ id }) => !used.includes(id))].slice(0, EXAMPLES);
}

const toExample = ({ id, name, prices }: CatalogModel): Example => ({ id, name, prices });

function pickByCost(models: CatalogModel[]): Example[] {
  const cost = (model: Example) => estimateCredits(model, EXAMPLE_SIZE, 0);
  // Models of the same price show nothing new, and free models show nothing at all.
  const byCost = new Map(models.toReversed().map((model) => [cost(model), model]));
  byCost.delete(0);
  const sorted = [...byCost].sort(([a], [b]) => a - b).map(([, model]) => model);
  const places = new Set([0, Math.floor((sorted.length - 1) / 2), sorted.length - 1]);
  return [...places].flatMap((index) => sorted[index] ?? []).map(toExample);
}
