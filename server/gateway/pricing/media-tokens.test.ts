import { describe, expect, test } from 'vitest';
import { catalogModels } from './catalog';
import { largestMediaTokens, likelyMediaTokens } from './media-tokens';

const image = (width: number, height: number) => ({ size: { width, height }, isLowDetail: false });
const of = (upstreamModel: string) => ({ upstreamModel, contextWindow: 200_000 });
const NOTHING = { images: [], pages: 0, documentTokens: 0 };
const tokens = (model: string, width: number, height: number): number =>
  largestMediaTokens({ ...NOTHING, images: [image(width, height)] }, of(model));

describe('an image counts as the vendor documents', () => {
  test.each([
    ['gpt-4o', 1_024, 1_024, 765],
    ['gpt-4o-2024-11-20', 2_048, 4_096, 1_105],
    ['gpt-4o-mini', 1_024, 1_024, 25_501],
    ['gpt-4.1', 512, 512, 255],
    ['gpt-4.1-mini', 1_024, 1_024, 1_659],
    ['gpt-4.1-nano', 1_024, 1_024, 2_520],
    ['o1', 1_024, 1_024, 675],
    ['o3', 1_024, 1_024, 675],
    ['o4-mini', 1_024, 1_024, 1_762],
    ['gpt-5', 1_024, 1_024, 630],
    ['gpt-5-2025-08-07', 1_024, 1_024, 630],
    ['gpt-5.1', 1_024, 1_024, 630],
    ['gpt-5-mini', 1_024, 1_024, 1_659],
    ['gpt-5.4-nano', 1_024, 1_024, 2_520],
    ['gpt-5.4', 1_024, 1_024, 1_229],
    ['gpt-5.5', 10_000, 10_000, 12_000],
    ['gpt-5.6-sol', 10_000, 10_000, 36_000],
    ['claude-haiku-4-5', 1_000, 1_000, 1_296],
    ['claude-opus-4-6', 4_000, 3_000, 1_600],
    ['claude-opus-4-7', 4_000, 3_000, 4_784],
    ['claude-sonnet-5', 4_000, 3_000, 4_784],
    ['gemini-2.5-flash', 384, 384, 258],
    ['gemini-2.5-flash', 960, 540, 1_548],
    ['gemini-3.5-flash', 4_000, 3_000, 1_120],
    ['qwen/qwen3-vl-8b-instruct', 280, 280, 100],
    ['pixtral-12b', 1_024, 1_024, 4_096 + 64],
    ['mistral-medium-2508', 280, 2_800, 1_000 + 55],
    ['grok-4.6', 448, 448, 7 * 256],
  ])('%s, %d by %d', (model, width, height, expected) => {
    expect(tokens(model, width, height)).toBe(expected);
  });

  test('low detail is the base of a model that counts in tiles', () => {
    const low = { ...NOTHING, images: [{ ...image(2_000, 2_000), isLowDetail: true }] };
    expect(largestMediaTokens(low, of('gpt-4o-mini'))).toBe(2_833);
    expect(largestMediaTokens(low, of('gpt-4o'))).toBe(85);
  });
});

describe('an image that only the provider can fetch', () => {
  const unseen = { ...NOTHING, images: [{ size: null, isLowDetail: false }] };

  test('is held for at its maximum and estimated as a photograph', () => {
    expect(largestMediaTokens(unseen, of('gpt-4o-mini'))).toBe(2_833 + 8 * 5_667);
    expect(likelyMediaTokens(unseen, of('gpt-4o-mini'))).toBe(25_501);
  });

  test('counts as no less than one of any size', () => {
    const sizes = [1, 384, 512, 768, 1_024, 2_048, 4_096, 8_000];
    for (const { upstreamModel } of catalogModels()) {
      const most = largestMediaTokens(unseen, of(upstreamModel));
      for (const width of sizes) {
        for (const height of sizes) {
          expect(tokens(upstreamModel, width, height), upstreamModel).toBeLessThanOrEqual(most);
        }
      }
    }
  });
});

describe('a document', () => {
  test('counts as an image per page, and its text', () => {
    const read = { ...NOTHING, pages: 2, documentTokens: 7_000 };
    expect(largestMediaTokens(read, of('claude-haiku-4-5'))).toBe(2 * (50 + 1_600) + 7_000);
    expect(largestMediaTokens(read, of('claude-opus-5-5'))).toBe(2 * (50 + 4_784) + 7_000);
    expect(largestMediaTokens(read, of('gpt-4o-mini'))).toBe(2 * (50 + 2_833 + 6 * 5_667) + 7_000);
  });

  test('that cannot be read is held for as a full context window, and estimated by its pages', () => {
    const unread = { ...NOTHING, pages: 1, documentTokens: Number.POSITIVE_INFINITY };
    expect(largestMediaTokens(unread, of('claude-opus-5-5'))).toBe(200_000);
    expect(likelyMediaTokens(unread, of('claude-opus-5-5'))).toBe(1_924 + 1_500);
  });
});

test('a request without media is not looked up', () => {
  expect(largestMediaTokens(NOTHING, {} as { upstreamModel: string; contextWindow: number })).toBe(0);
});
