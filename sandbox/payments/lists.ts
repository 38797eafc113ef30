import { z } from 'zod';
import type { Form } from './form-encoding';
import { integer, readParameters } from './read-parameters';
import { resourceMissing } from './stripe-errors';

const pageSchema = z.object({
  limit: integer.pipe(z.number().min(1).max(100)).default(10),
  starting_after: z.string().optional(),
  created: z.object({ gte: integer.optional(), lt: integer.optional() }).default({}),
});

type Listed = { id: string; created?: number };

/** One page, newest first, with Stripe's parameters. `items` are oldest first, as they were saved. */
export function listPage<Item extends Listed>(items: readonly Item[], form: Form): object {
  const { limit, starting_after: after, created } = readParameters(pageSchema, form);
  const { gte = 0, lt = Infinity } = created;
  const all = items.filter(({ created: at = 0 }) => at >= gte && at < lt).reverse();
  const start = after === undefined ? 0 : all.findIndex(({ id }) => id === after) + 1;
  if (after !== undefined && start === 0) throw resourceMissing('object', after, 'starting_after');
  return { object: 'list', data: all.slice(start, start + limit), has_more: all.length > start + limit };
}

/** The items whose fields equal the values that the form names. */
export function filterBy<Name extends string, Item extends { [Field in Name]: string | null }>(
  items: readonly Item[],
  form: Form,
  ...names: Name[]
): Item[] {
  const asked = names.filter((name) => form[name] !== undefined);
  return items.filter((item) => asked.every((name) => item[name] === form[name]));
}
