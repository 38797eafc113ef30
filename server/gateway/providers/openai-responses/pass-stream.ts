import type { ApiError } from '../../../base/errors';
import type { Json } from '../../protocols/neutral';
import { asArray, asText } from '../../protocols/read-fields';
import type { ResponsesRequest } from '../../protocols/responses/schema';
import { responsesFrame, writeFailure } from '../../protocols/responses/stream';
import type { ExchangeOptions } from '../exchange';
import { type Changes, fitFields, isCount } from '../fit';
import { meteredUsage } from '../metered-usage';
import type { EventHandler, StreamFacts } from '../stream-relay';
import { type CallIds, fitResponse, fitResponseEvents } from './fit-response';
import { repairResponse, toFitOptions } from './response';
import { isEnd, readEvent, unfinished } from './stream';

/**
 * Relays a responses stream to a client of the same format. Events pass through unchanged, except for the response in
 * the first and the last ones, and for what does not fit the types of the official clients. The last event is sent
 * once the request is settled.
 */
export function passResponsesStream(
  request: ResponsesRequest,
  facts: StreamFacts,
  options: ExchangeOptions,
): EventHandler {
  const fitOptions = toFitOptions(request, options);
  const ids: CallIds = new Map();
  const events = fitResponseEvents(fitOptions, ids);
  let begun: Json | null = null;
  let last: { type: string; event: Json; response: Json } | null = null;
  let sequence = 0;

  function event(data: string, name: string): string {
    const known = readEvent(data, name, facts);
    if (known === null || last !== null) return '';
    const { type, event, response } = known;
    if (response !== null && isEnd(known)) {
      last = { type, event, response };
      return '';
    }
    if (BEGINNINGS.has(type)) return events.hasBegun() ? '' : begin(type, event, response ?? {});
    const changes = { any: false };
    const fitting = events.fit(type, event, changes);
    if (fitting.length === 0) return '';
    const start = begun === null ? begin('response.created', {}, {}) : '';
    const isSame = fitting.length === 1 && fitting[0] === event && !number(event, changes);
    if (isSame && !changes.any) return `${start}event: ${type}\ndata: ${data.replaceAll('\n', '')}\n\n`;
    return start + fitting.map((each) => write(each)).join('');
  }

  /** Numbers continue where events were added. True if the number was changed. */
  function number(event: Json, changes: Changes): boolean {
    const given = event.sequence_number;
    fitFields(
      event,
      { sequence_number: () => (isCount(given) && given >= sequence ? given : sequence) },
      changes,
    );
    sequence = (event.sequence_number as number) + 1;
    return event.sequence_number !== given;
  }

  function write(event: Json): string {
    if (!isCount(event.sequence_number) || event.sequence_number + 1 !== sequence)
      number(event, { any: false });
    return responsesFrame({ ...event, type: asText(event.type) });
  }

  /** The response begins once, and with nothing in it. */
  function begin(type: string, event: Json, response: Json): string {
    if (type === 'response.created' && begun !== null) return '';
    const start =
      type !== 'response.created' && begun === null ? begin('response.created', {}, { ...response }) : '';
    fitResponse(response, fitOptions, ids, { any: false });
    Object.assign(response, { id: begun?.id ?? response.id, output: [], status: 'in_progress', usage: null });
    begun = repairResponse(response, request, options, null);
    return start + write({ ...event, type, response: begun });
  }

  function close(): string {
    facts.finished = last !== null;
    if (last === null) facts.failure = unfinished();
    return '';
  }

  function finish(): string {
    if (last === null) return '';
    const start = begun === null ? begin('response.created', {}, {}) : '';
    const metered = meteredUsage(facts, (isHidden) => options.estimate(facts.outputBytes, isHidden));
    const { response } = last;
    if (asArray(response.output).length === 0) response.output = events.items();
    fitResponse(response, fitOptions, ids, { any: false });
    Object.assign(response, { id: begun?.id ?? response.id, status: last.type.slice('response.'.length) });
    const repaired = repairResponse(response, request, options, metered);
    options.noteResponse?.(repaired);
    return start + write({ ...last.event, type: last.type, response: repaired });
  }

  const fail = (error: ApiError): string => writeFailure(error, sequence, begun);

  return { event, close, finish, fail };
}

const BEGINNINGS = new Set(['response.created', 'response.in_progress', 'response.queued']);
