import type { Exchange, ExchangeOptions } from './exchange';
import { FORMATS } from './formats';
import { passExchange } from './pass-exchange';
import { translateExchange } from './translate-exchange';

/**
 * One request to one provider, and the way back for its response. A client that speaks the
 * provider's format gets both through almost untouched; others go through the neutral shape.
 * Throws `invalid_request` for what the provider's format cannot express.
 */
export function prepareExchange(options: ExchangeOptions): Exchange {
  const format = FORMATS[options.provider.format];
  const through = format.passThrough(options.client);
  return through === null ? translateExchange(options, format) : passExchange(options, format, through);
}
