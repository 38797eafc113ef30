import { describe, expect, test } from 'vitest';
import type { Picocredits } from '../credits';
import type { CatalogModel } from '../pricing/catalog';
import { chatProtocol } from '../protocols/client-protocol';
import { planRequest } from './plan';

const price = (amount: bigint) => amount as Picocredits;
const MODEL = {
  maxOutputTokens: 1_000,
  prices: {
    input: price(100n),
    output: price(500n),
    cacheRead: price(10n),
    cacheWrite5m: price(125n),
    cacheWrite1h: price(200n),
    tiers: [],
    automaticCacheWrites: false,
  },
} as unknown as CatalogModel;

const inputCost = (part: object): number => {
  const content = [{ type: 'text', text: 'x'.repeat(22_000), ...part }];
  const body = { model: 'm', max_tokens: 10, messages: [{ role: 'user', content }] };
  return Number(planRequest(chatProtocol, chatProtocol.validate(body), [MODEL]).inputCost);
};

/** What is written to the cache costs more than what is only read: the hold must be for the dearer. */
describe('a hold for a prompt that is to be cached', () => {
  const plain = inputCost({});
  test.each([
    ['by the field of Anthropic', { cache_control: { type: 'ephemeral' } }, 1.25],
    ['for an hour', { cache_control: { type: 'ephemeral', ttl: '1h' } }, 2],
    ['by the field of OpenAI', { prompt_cache_breakpoint: { mode: 'explicit' } }, 1.25],
    ['for half a day', { prompt_cache_breakpoint: { mode: 'explicit', ttl: '12h' } }, 2],
  ])('%s', (_, part, factor) => {
    expect(inputCost(part) / plain).toBeGreaterThanOrEqual(factor);
    expect(inputCost(part) / plain).toBeLessThan(factor + 0.05);
  });
});
