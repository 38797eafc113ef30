import { type Fields, MICROCREDITS, nameOf, objects, whole } from './fields';
import { Difference } from './report';

/** Cost = tokens, web searches and units × price, charge = cost × (1 + commission), rounded up once, at most the hold. */
export function checkCharge(receipt: Fields, price: Fields | undefined): void {
  const amount = (name: string): bigint => whole(receipt[name]);
  const cost = receipt.cost_reported ? null : exactCost(receipt, price);
  // A cost that the provider reported was rounded up to a microcredit before it was stored.
  const most = cost ?? amount('provider_cost') * MICROCREDITS;
  const least = cost ?? (most === 0n ? 0n : most - MICROCREDITS + 1n);
  const chargeOf = (exact: bigint): bigint =>
    lesser(amount('held'), divideUp(exact * (10_000n + amount('commission_bp')), 10_000n * MICROCREDITS));
  const told = amount('charged');
  const name = nameOf(receipt);
  if (amount('provider_cost') !== divideUp(most, MICROCREDITS))
    throw new Difference(
      `${name}: the provider cost is ${amount('provider_cost')} microcredits, and its tokens at ${receipt.price_version} cost ${divideUp(most, MICROCREDITS)}`,
    );
  if (told < chargeOf(least) || told > chargeOf(most))
    throw new Difference(
      `${name}: charged ${told} microcredits, and its cost with ${Number(amount('commission_bp')) / 100}% commission is ${chargeOf(most)}`,
    );
  const share = told > amount('provider_cost') ? told - amount('provider_cost') : 0n;
  if (amount('commission') !== share)
    throw new Difference(
      `${name}: the commission is ${amount('commission')} microcredits, expected ${share}`,
    );
}

/** In picocredits. The price is that of the highest tier that the prompt exceeds. */
export function exactCost(receipt: Fields, price: Fields | undefined): bigint {
  if (price === undefined || price.version !== receipt.price_version)
    throw new Difference(`${nameOf(receipt)}: the price version ${receipt.price_version} is missing`);
  if (String(price.valid_from) > String(receipt.created_at))
    throw new Difference(`${nameOf(receipt)}: ${price.version} applies only from ${price.valid_from}`);
  const classes = [
    ['input_tokens', 'input'],
    ['cached_input_tokens', 'cache_read'],
    ['cache_write_tokens', 'cache_write_5m'],
    ['cache_write_1h_tokens', 'cache_write_1h'],
    ['output_tokens', 'output'],
  ] as const;
  const prompt = classes.slice(0, 4).reduce((sum, [tokens]) => sum + Number(receipt[tokens]), 0);
  const tier = objects(price.tiers).findLast(({ above }) => prompt > Number(above)) ?? price;
  const others = [
    ['web_searches', 'web_search'],
    ['input_units', 'input_unit'],
    ['output_units', 'output_unit'],
  ] as const;
  const costOf = (count: unknown, each: unknown): bigint => whole(count ?? 0) * whole(each ?? 0);
  return (
    classes.reduce((sum, [tokens, kind]) => sum + whole(receipt[tokens]) * whole(tier[kind]), 0n) +
    others.reduce((sum, [counted, kind]) => sum + costOf(receipt[counted], price[kind]), 0n)
  );
}

const divideUp = (amount: bigint, by: bigint): bigint => (amount + by - 1n) / by;
const lesser = (a: bigint, b: bigint): bigint => (a < b ? a : b);
