import { expect, test } from 'vitest';
import { type ListUnitPrice, readUnitPrice } from './list-price';
import { describeUnitPrice, describeUnitPrices } from './unit-words';

const unit = (list: ListUnitPrice) => ({ kind: list.kind, price: readUnitPrice(list) });

test.each<[ListUnitPrice, string]>([
  [{ kind: 'page', price: '0.004', per: 1 }, '$4.00 per 1,000 pages'],
  [{ kind: 'query', price: '0.0025', per: 1 }, '$2.50 per 1,000 queries'],
  [{ kind: 'second', price: '0.006', per: 60 }, '$0.006 per minute'],
  // A price without an end is rounded.
  [{ kind: 'second', price: '0.04', per: 3_600 }, '$0.000667 per minute'],
  [{ kind: 'character', price: '15', per: 1_000_000 }, '$15.00 per 1M characters'],
  [{ kind: 'image', price: '0.02', per: 1 }, '$0.02 per image'],
  [{ kind: 'image_token', price: '30', per: 1_000_000 }, '$30.00 per 1M image tokens'],
])('a price is written as people read it: %j is %s', (list, text) => {
  expect(describeUnitPrice(unit(list))).toBe(text);
});

test('a price for users has the commission on it, and two prices say which is which', () => {
  const inputUnit = unit({ kind: 'image_token', price: '8', per: 1_000_000 });
  const outputUnit = unit({ kind: 'image_token', price: '30', per: 1_000_000 });
  expect(describeUnitPrices({ inputUnit }, 2_500)).toEqual(['$10.00 per 1M image tokens']);
  expect(describeUnitPrices({ inputUnit, outputUnit })).toEqual([
    '$8.00 per 1M image tokens in',
    '$30.00 per 1M image tokens out',
  ]);
  expect(describeUnitPrices({})).toEqual([]);
});
