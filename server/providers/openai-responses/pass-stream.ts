import type { ApiError } from '../../errors';
import type { Json } from '../../protocols/neutral';
import type { ResponsesRequest } from '../../protocols/responses/schema';
import { responsesFrame, writeFailure } from '../../protocols/responses/stream';
import type { ExchangeOptions } from '../exchange';
import { meteredUsage } from '../metered-usage';
import type { EventHandler, StreamFacts } from '../stream-relay';
import { repairResponse } from './response';
import { isEnd, readEvent, unfinished } from './stream';

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
    const known = readEvent(data, facts);
    if (known === null) return '';
    const { type, event, response } = known;
    if (typeof event.sequence_number === 'number') sequence = event.sequence_number + 1;
    if (response !== null && isEnd(known)) {
      last = { type, event, response };
      return '';
    }
    if (response !== null) {
      begun = repairResponse(response, request, options, null);
      return responsesFrame({ ...event, type });
    }
    return type === '' ? '' : `event: ${type}\ndata: ${data.replaceAll('\n', '')}\n\n`;
  }

  function close(): string {
    facts.finished = last !== null;
    if (last === null) facts.failure = unfinished();
    return '';
  }

  function finish(): string {
    if (last === null) return '';
    const metered = meteredUsage(facts, (isHidden) => options.estimate(facts.outputBytes, isHidden));
    const response = repairResponse(last.response, request, options, metered);
    options.noteResponse?.(response);
    return responsesFrame({ ...last.event, type: last.type, response });
  }

  const fail = (error: ApiError): string => writeFailure(error, sequence, begun);

  return { event, close, finish, fail };
}
