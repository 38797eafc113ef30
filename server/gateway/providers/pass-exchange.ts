import { CONVERSATION_PROTOCOLS, type ConversationRequest } from '../protocols/client-protocols';
import type { Exchange, ExchangeOptions, WholeResponse } from './exchange';
import { mayHideOutput } from './hidden-output';
import { meteredUsage } from './metered-usage';
import { renameModel } from './model-name';
import { toTarget } from './request-target';
import { newFacts, relayStream, type StreamRelay } from './stream-relay';
import type { NativeFormat, PassThrough } from './wire-format';

/**
 * An exchange in one format: unchanged except for the fields that we must set, and repaired where clients
 * would crash.
 */
export function passExchange(
  options: ExchangeOptions,
  client: ConversationRequest,
  format: NativeFormat,
  through: PassThrough,
): Exchange {
  const { provider, requestedModel } = options;
  const target = toTarget(options);
  const { warnings } = target;
  const body = through.repairRequest(target);

  function readWhole(text: string): WholeResponse {
    const json = through.parseResponse(text, provider);
    const facts = format.readFacts(json, provider);
    const metered = meteredUsage(facts, (isHidden) => options.estimate(facts.outputBytes, isHidden));
    const repaired = through.repairResponse(json, metered, options) ? JSON.stringify(json) : text;
    return { body: renameModel(repaired, requestedModel), ...facts };
  }

  function openStream(): StreamRelay {
    const facts = newFacts();
    return relayStream(
      through.passStream(facts, options),
      facts,
      CONVERSATION_PROTOCOLS[client.format].frames,
    );
  }

  return {
    path: format.path,
    headers: format.writeHeaders(options.clientHeaders, { isNative: true, warnings }),
    body,
    warnings,
    isShortened: target.isShortened,
    mayHideOutput: () => mayHideOutput(body, options),
    readWhole,
    openStream,
  };
}
