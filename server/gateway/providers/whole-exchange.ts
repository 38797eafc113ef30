import { ApiError } from '../../base/errors';
import { type Json, NO_TOKENS } from '../protocols/neutral';
import { asArray, parseObject } from '../protocols/read-fields';
import type { Exchange, ExchangeOptions } from './exchange';
import type { ResponseFacts } from './metered-usage';
import { brokenResponse, FailedResponse, readEmbeddedFailure } from './provider-failure';

/** An exchange whose response comes as a whole: results that are no text. */
export function wholeExchange(
  { provider }: Pick<ExchangeOptions, 'provider'>,
  what: string,
  exchange: Pick<Exchange, 'path' | 'body' | 'warnings' | 'readWhole'>,
): Exchange {
  if (provider.format !== 'openai')
    throw new ApiError('invalid_request', `This provider has no ${what}`, { param: 'model' });
  return {
    ...exchange,
    headers: {},
    isShortened: false,
    mayHideOutput: () => false,
    openStream: () => {
      throw new Error(`There is no stream of ${what}`);
    },
  };
}

/** Returns the response if it has results; an error, or none, is a failure of the provider. */
export function parseResults(
  text: string,
  resultsOf: (json: Json) => unknown,
  { what, readFacts }: { what: string; readFacts: (json: Json) => ResponseFacts },
): Json {
  const json = parseObject(text);
  if (json?.error) throw new FailedResponse(readEmbeddedFailure(json), readFacts(json), { isError: true });
  if (json === null || asArray(resultsOf(json)).length === 0)
    throw new FailedResponse(brokenResponse(`the provider sent no ${what}`), readFacts(json ?? {}), {
      isError: false,
    });
  return json;
}

/** Facts of a response that has no output tokens; `counts` is null if the provider reports none. */
export function factsOf(counts: { input?: number; inputUnits?: number } | null): ResponseFacts {
  const isReported = counts !== null;
  return {
    usage: isReported ? Object.assign({}, NO_TOKENS, counts) : null,
    inputReported: isReported,
    outputReported: isReported,
    providerCost: null,
    outputBytes: 0,
  };
}
