import { expect, test } from 'vitest';
import { catalogModels } from './catalog';
import { estimateCredits } from './estimate';
import { exampleOf } from './unit-example';

test('every model whose tokens of text do not say what it costs has an example, which is free only for moderation', () => {
  for (const model of catalogModels()) {
    const example = exampleOf(model);
    const { input, inputUnit, outputUnit } = model.prices;
    const isByTokens = model.type === 'language' || (input > 0n && !inputUnit && !outputUnit);
    expect([model.id, example === null]).toEqual([model.id, isByTokens]);
    if (example === null) continue;
    const isFree = estimateCredits(model, example.usage, 0) === 0;
    expect([model.id, isFree]).toEqual([model.id, model.type === 'moderation']);
  }
});
