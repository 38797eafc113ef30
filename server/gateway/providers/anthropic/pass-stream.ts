import { messagesFrame, usageAtStart, writeMessageStop } from '../../protocols/messages/stream';
import { type Envelope, writeUsage } from '../../protocols/messages/write';
import type { Json } from '../../protocols/neutral';
import { asObject, asText, isObject } from '../../protocols/read-fields';
import { readCount } from '../count';
import { learnPattern, type VariableTexts } from '../event-pattern';
import { type Changes, fitFields } from '../fit';
import { type EstimateMissing, meteredUsage } from '../metered-usage';
import { renameModel } from '../model-name';
import type { EventHandler, StreamFacts } from '../stream-relay';
import { DELTA_USAGE, fitStart, MESSAGE_USAGE } from './fit-message';
import { readEvents } from './stream';

export type PassThroughOptions = {
  facts: StreamFacts;
  envelope: Envelope;
  uniqueId: (id: string) => string;
  /** Reported when the provider reports nothing. */
  estimate: EstimateMissing;
};

/**
 * Relays a messages stream to a client of the same format. Events pass through unchanged except for the model's name,
 * the closing `message_stop`, and what does not fit the types of the official clients. Names of events are added, a
 * second `message_start` is removed, and missing usage is filled in, since the SDKs crash on each.
 */
export function passMessagesStream({
  facts,
  envelope,
  uniqueId,
  estimate,
}: PassThroughOptions): EventHandler {
  const events = readEvents(facts, { uniqueId, isStrict: true });
  let hasStarted = false;
  /** The last event, if it continued a block and the client received it unchanged. */
  let unchanged: { event: Json; data: string } | null = null;

  function event(data: string, name: string): string {
    unchanged = null;
    const changes = { any: false };
    const known = events.read(data, name, changes);
    const [first] = known;
    const isSame = known.length === 1 && !changes.any;
    if (isSame && first?.type === 'content_block_delta') unchanged = { event: first, data };
    return known.map((each) => write(each, isSame ? data.replaceAll('\n', '') : null, changes)).join('');
  }

  /** `line` is the event as the provider sent it, if it fits. */
  function write(event: Json, line: string | null, changes: Changes): string {
    const type = asText(event.type);
    if (type === 'message_start') return startMessage(event, line, changes);
    const start = hasStarted || type === 'ping' ? '' : startMessage({ message: {} }, null, changes);
    return (
      start +
      (type === 'message_delta' ? writeDelta(event, line) : frame(type, line ?? JSON.stringify(event)))
    );
  }

  function startMessage(event: Json, line: string | null, changes: Changes): string {
    if (hasStarted) return '';
    hasStarted = true;
    const message = asObject(event.message);
    const fitted: Changes = { any: changes.any };
    if (!isObject(message.usage)) {
      message.usage = writeUsage(usageAtStart(estimate(false)));
      fitted.any = true;
    }
    fitStart(message, envelope, fitted);
    fitFields(message.usage as Json, MESSAGE_USAGE, fitted);
    if (line !== null && !fitted.any) return frame('message_start', renameModel(line, envelope.model, 2));
    return messagesFrame({
      type: 'message_start',
      message: Object.assign(message, { model: envelope.model }),
    });
  }

  function writeDelta(event: Json, line: string | null): string {
    const { usage, estimated } = meteredUsage(facts, estimate);
    const changes = { any: line === null };
    const isReported = readCount(asObject(event.usage).output_tokens) !== null;
    if (!isReported || estimated || !events.agrees(event.usage))
      return messagesFrame({ ...event, type: 'message_delta', usage: writeUsage(usage) });
    fitFields(event.usage as Json, DELTA_USAGE, changes);
    return frame('message_delta', line !== null && !changes.any ? line : JSON.stringify(event));
  }

  function close(): string {
    const ended = events.close();
    if (ended === null) return '';
    const rest = ended.events.map((each) => write(each, null, { any: true })).join('');
    return rest + (ended.reason === null ? '' : writeReason(ended.reason));
  }

  /** The provider finished without a stop reason. Clients wait for one, and for the usage sent with it. */
  function writeReason(reason: string): string {
    const delta = { stop_reason: reason, stop_sequence: null };
    return write({ type: 'message_delta', delta }, null, { any: true });
  }

  /** For a piece of arguments, how the next ones of the same block reach the client. */
  const adaptArguments = ({ index, delta }: Json) =>
    asObject(delta).type === 'input_json_delta'
      ? (json: string) => events.proceedWith(index, json)
      : undefined;

  return {
    event,
    close,
    finish: writeMessageStop,
    learn: () =>
      unchanged &&
      learnPattern({
        lead: DELTA_LEAD,
        textsOf: findDelta,
        rewrite: String,
        adapt: adaptArguments(unchanged.event),
        ...unchanged,
      }),
  };
}

const DELTA_LEAD = 'event: content_block_delta\n';
const DELTA_TEXTS = ['text', 'thinking', 'partial_json'];

/** The text of a delta that contains no other. */
function findDelta({ delta, content_block }: Json): VariableTexts | null {
  if (content_block !== undefined) return null;
  const [filled, ...others] = DELTA_TEXTS.filter((name) => asText(asObject(delta)[name]) !== '');
  return filled === undefined || others.length > 0 ? null : { [filled]: asText(asObject(delta)[filled]) };
}

function frame(type: string, line: string): string {
  return `event: ${type}\ndata: ${line}\n\n`;
}
