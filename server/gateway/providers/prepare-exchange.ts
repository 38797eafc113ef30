import { invariant } from '../../base/errors';
import { embeddingsExchange } from './embeddings';
import type { Exchange, ExchangeOptions } from './exchange';
import { FORMATS } from './formats';
import { imagesExchange } from './images';
import { moderationsExchange } from './moderations';
import { nameFields } from './name-fields';
import { ocrExchange } from './ocr';
import { openaiResponsesFormat } from './openai-responses/format';
import { passExchange } from './pass-exchange';
import { rerankExchange } from './rerank';
import { speechExchange } from './speech';
import { transcriptionsExchange } from './transcriptions';
import { translateExchange } from './translate-exchange';

/**
 * Prepares one request to one provider, and the conversion of its response. If the client uses the format of
 * the provider, both pass through almost unchanged; otherwise they go through the neutral shape. OpenAI searches
 * the web only in its responses format. Throws
 * `invalid_request` for parameters that the format of the provider cannot express.
 */
export function prepareExchange(options: ExchangeOptions): Exchange {
  const { client, provider, searches = 0 } = options;
  if (client.format === 'embeddings') return embeddingsExchange(options, client);
  if (client.format === 'moderations') return moderationsExchange(options, client);
  if (client.format === 'rerank') return rerankExchange(options, client);
  if (client.format === 'ocr') return ocrExchange(options, client);
  if (client.format === 'images' || client.format === 'image-edits') return imagesExchange(options, client);
  if (client.format === 'speech') return speechExchange(options, client);
  invariant(client.format !== 'videos', 'a video is a job');
  if (client.format === 'transcriptions' || client.format === 'translations')
    return transcriptionsExchange(options, client);
  const usesResponses = provider.takesResponses && (client.format === 'responses' || searches > 0);
  const format = usesResponses ? openaiResponsesFormat : FORMATS[provider.format];
  const through = format.passThrough(client);
  const exchange =
    through === null
      ? translateExchange(options, client, format)
      : passExchange(options, client, format, through);
  nameFields(exchange.warnings, client);
  return exchange;
}
