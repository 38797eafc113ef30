import { embeddingsExchange } from './embeddings';
import type { Exchange, ExchangeOptions } from './exchange';
import { FORMATS } from './formats';
import { openaiResponsesFormat } from './openai-responses/format';
import { passExchange } from './pass-exchange';
import { translateExchange } from './translate-exchange';

/**
 * Prepares one request to one provider, and the conversion of its response. If the client uses the format of
 * the provider, both pass through almost unchanged; otherwise they go through the neutral shape. Throws
 * `invalid_request` for parameters that the format of the provider cannot express.
 */
export function prepareExchange(options: ExchangeOptions): Exchange {
  const { client, provider } = options;
  if (client.format === 'embeddings') return embeddingsExchange(options, client);
  const format = FORMATS[provider.format];
  const native = provider.takesResponses && client.format === 'responses' ? openaiResponsesFormat : format;
  const through = native.passThrough(client);
  return through === null
    ? translateExchange(options, client, format)
    : passExchange(options, client, native, through);
}
