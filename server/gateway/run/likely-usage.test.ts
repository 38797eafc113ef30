import { expect, test } from 'vitest';
import type { CatalogModel } from '../pricing/catalog';
import { measureDocuments } from '../protocols/measure-size';
import { messagesProtocol } from '../protocols/messages/protocol';
import { profileOf } from '../providers/profiles';
import { estimateUsage } from './likely-usage';

test("an estimate stays within the ledger's range, whatever the request contains", async () => {
  const document = { type: 'document', source: { type: 'url', url: 'https://x.test/a' } };
  const request = messagesProtocol.validate({
    model: 'm',
    max_tokens: 1,
    messages: [{ role: 'user', content: Array(100_000).fill(document) }],
  });
  const measure = await measureDocuments(messagesProtocol.measure(request));
  const model = { provider: 'anthropic', upstreamModel: 'claude-opus-5', contextWindow: 1e9 } as CatalogModel;
  const called = { model, profile: profileOf('anthropic') };
  const limit = { outputCap: 1e9, choices: 1, prompts: 1 };
  const estimate = estimateUsage(measure, called, limit);
  expect(estimate(5e9)).toMatchObject({ input: 100_000_000, output: 100_000_000 });
  const small = { ...called, model: { ...model, contextWindow: 200_000 } };
  const inWindow = estimateUsage(measure, small, limit);
  expect(inWindow(0).input).toBe(200_000);
});

test('hidden output is estimated by time for each choice, up to the output limit', async () => {
  const request = messagesProtocol.validate({
    model: 'm',
    max_tokens: 1,
    messages: [{ role: 'user', content: 'Hi' }],
  });
  const measure = await measureDocuments(messagesProtocol.measure(request));
  const model = { provider: 'groq', upstreamModel: 'm', contextWindow: 1e9 } as CatalogModel;
  const estimateOf = (provider: string, choices: number) =>
    estimateUsage(
      measure,
      { model, profile: profileOf(provider) },
      { outputCap: 8_000, choices, prompts: 1 },
    );
  const twoSeconds = { unseenMs: 2_000, outputDeltas: 7 };
  expect(estimateOf('openai', 1)(20, twoSeconds).output).toBe(1_007);
  expect(estimateOf('openai', 2)(40, twoSeconds).output).toBe(2_010);
  expect(estimateOf('groq', 1)(0, twoSeconds).output).toBe(3_007);
  expect(estimateOf('groq', 1)(0, { unseenMs: 60_000, outputDeltas: 0 }).output).toBe(8_000);
});
