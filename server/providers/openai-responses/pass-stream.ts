import type { ApiError } from '../../errors';
import type { Json } from '../../protocols/neutral';
import { asObject, asText, isObject, parseObject } from '../../protocols/read-fields';
import type { ResponsesRequest } from '../../protocols/responses/schema';
import { responsesFrame, writeFailure } from '../../protocols/responses/stream';
import type { ExchangeOptions } from '../exchange';
import { meteredUsage } from '../metered-usage';
import { brokenResponse, readEmbeddedFailure } from '../provider-failure';
import type { EventHandler, StreamFacts } from '../stream-relay';
import { repairResponse } from './response';
import { isSearch, readMetered } from './usage';

/** Before these events, a failure can still become an error status: nothing was produced. */
const PREPARATION = new Set(['response.created', 'response.in_progress', 'response.queued']);
const ENDS = new Set(['response.completed', 'response.incomplete']);

/**
 * Relays a responses stream to a client of the same format. Events pass through unchanged, except for the
 * response in the first and the last ones. The last one is sent once the request is settled.
 */
export function passResponsesStream(
  request: ResponsesRequest,
  facts: StreamFacts,
  options: ExchangeOptions,
): EventHandler {
  let begun: Json | null = null;
  let last: { type: string; event: Json; response: Json } | null = null;
  let sequence = 0;

  function event(data: string): string {
    const event = parseObject(data);
    if (event === null) {
      facts.failure = brokenResponse('the provider sent an event that is not JSON');
      return '';
    }
    const type = asText(event.type);
    const response = isObject(event.response) ? event.response : null;
    if (type === 'error' || type === 'response.failed') {
      facts.failure = readEmbeddedFailure(response ?? (isObject(event.error) ? event : { error: event }));
      return '';
    }
    if (typeof event.sequence_number === 'number') sequence = event.sequence_number + 1;
    if (response !== null && ENDS.has(type)) return noteEnd(type, event, response);
    if (response !== null) {
      begun = repairResponse(response, request, options, null);
      return responsesFrame({ ...event, type });
    }
    meter(type, event);
    facts.started ||= type !== '' && !PREPARATION.has(type);
    return type === '' ? '' : `event: ${type}\ndata: ${data.replaceAll('\n', '')}\n\n`;
  }

  function meter(type: string, event: Json): void {
    const added = type === 'response.output_item.added' ? asText(asObject(event.item).name) : '';
    const bytes = Buffer.byteLength(type.endsWith('.delta') ? asText(event.delta) : added);
    facts.outputBytes += bytes;
    if (bytes > 0) facts.outputDeltas++;
    if (type === 'response.output_item.done' && isSearch(asObject(event.item))) facts.searches++;
  }

  function noteEnd(type: string, event: Json, response: Json): string {
    last = { type, event, response };
    facts.started = true;
    facts.usage = readMetered(response);
    facts.outputReported = facts.usage !== null;
    return '';
  }

  function close(): string {
    facts.finished = last !== null;
    if (last === null) facts.failure = brokenResponse('the provider ended its response without finishing it');
    return '';
  }

  function finish(): string {
    if (last === null) return '';
    const metered = meteredUsage(facts, () => options.estimate(facts.outputBytes));
    const response = repairResponse(last.response, request, options, metered);
    options.noteResponse?.(response);
    return responsesFrame({ ...last.event, type: last.type, response });
  }

  const fail = (error: ApiError): string => writeFailure(error, sequence, begun);

  return { event, close, finish, fail };
}
