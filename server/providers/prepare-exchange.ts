import type { Exchange, ExchangeOptions } from './exchange';
import { FORMATS } from './formats';
import { passExchange } from './pass-exchange';
import { translateExchange } from './translate-exchange';

/**
 * Prepares one request to one provider, and the conversion of its response. If the client uses the format of
 * the provider, both pass through almost unchanged; otherwise they go through the neutral shape. Throws
 * `invalid_request` for parameters that the format of the provider cannot express.
 */
export function prepareExchange(options: ExchangeOptions): Exchange {
  const format = FORMATS[options.provider.format];
  const through = format.passThrough(options.client);
  return through === null ? translateExchange(options, format) : passExchange(options, format, through);
}
