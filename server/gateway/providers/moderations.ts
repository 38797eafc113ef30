import { each, fields, keepKnownFields, VALUE } from '../protocols/known-fields';
import type { ModerationsClientRequest } from '../protocols/moderations/protocol';
import type { Exchange, ExchangeOptions, WholeResponse } from './exchange';
import { renameModel } from './model-name';
import { factsOf, parseResults, wholeExchange } from './whole-exchange';

const FIELDS = fields({
  model: VALUE,
  input: fields({ ...each(['type', 'text'], VALUE), image_url: fields({ url: VALUE }) }),
});

/** OpenAI's format has no usage: what was read is estimated, and costs nothing. */
const readFacts = () => factsOf(null);

export function moderationsExchange(options: ExchangeOptions, { body }: ModerationsClientRequest): Exchange {
  const { upstreamModel, requestedModel } = options;
  const warnings: string[] = [];
  const { input } = keepKnownFields(body, FIELDS, warnings);

  function readWhole(text: string): WholeResponse {
    parseResults(text, ({ results }) => results, { what: 'moderation', readFacts });
    return { body: renameModel(text, requestedModel), ...readFacts() };
  }

  return wholeExchange(options, 'moderation', {
    path: '/moderations',
    body: { model: upstreamModel, input },
    warnings,
    readWhole,
  });
}
