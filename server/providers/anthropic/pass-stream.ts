import {
  EMPTY_TEXT,
  EMPTY_THOUGHT,
  messagesFrame,
  usageAtStart,
  writeMessageStop,
  writeMessagesStream,
} from '../../protocols/messages/stream';
import { type Envelope, writeUsage } from '../../protocols/messages/write';
import type { Json } from '../../protocols/neutral';
import { asObject, asText, isObject } from '../../protocols/read-fields';
import { readCount } from '../count';
import { learnPattern, type VariableTexts } from '../event-pattern';
import { type EstimateMissing, meteredUsage } from '../metered-usage';
import { renameModel } from '../model-name';
import { brokenResponse } from '../provider-failure';
import type { EventHandler, StreamFacts } from '../stream-relay';
import { collectUsage, isWholeMessage, readEvent, readMessageEvents, withoutNulls } from './stream';

export type PassThroughOptions = {
  facts: StreamFacts;
  envelope: Envelope;
  /** Reported when the provider reports nothing. */
  estimate: EstimateMissing;
};

/**
 * Relays a messages stream to a client of the same format. Events pass through unchanged except for
 * the model's name and the closing `message_stop`. Names of events are added, a second
 * `message_start` is removed, and missing usage is filled in, since the SDKs crash on each.
 */
export function passMessagesStream(options: PassThroughOptions): EventHandler {
  const { facts, envelope, estimate } = options;
  const noteUsage = collectUsage(facts);
  let hasStarted = false;
  let isStopped = false;
  let hasCalls = false;
  let stopReason = '';
  /** Blocks by the provider's index, and their number: some providers skip or reuse indexes. */
  const places = new Map<unknown, number>();
  let blocks = 0;
  let whole: EventHandler | null = null;
  /** The last event, if it continued a block and the client received it unchanged. */
  let unchanged: { event: Json; data: string } | null = null;

  function event(data: string): string {
    unchanged = null;
    const event = readEvent(data, facts);
    if (event === null) return '';
    if (isWholeMessage(event)) {
      // The reader of whole responses counts the bytes again.
      facts.outputBytes = 0;
      whole = streamWhole(options);
      return whole.event(data);
    }
    const type = asText(event.type);
    if (type !== 'ping') facts.started = true;
    const line = data.replaceAll('\n', '');
    switch (type) {
      case 'message_start':
        return startMessage(event, line);
      case 'message_delta':
        return writeDelta(event, line);
      case 'message_stop':
        isStopped = true;
        return '';
      case 'content_block_start':
        hasCalls ||= asObject(event.content_block).type === 'tool_use';
        places.set(event.index, blocks++);
        return writeBlock(event, line);
      case 'content_block_delta':
        if (places.get(event.index) === event.index) unchanged = { event, data };
        return openBlock(event) + writeBlock(event, line);
      case 'content_block_stop':
        return openBlock(event) + writeBlock(event, line);
      default:
        return type === '' ? '' : frame(type, line);
    }
  }

  function startMessage(event: Json, line: string): string {
    const message = asObject(event.message);
    noteUsage(message.usage, { isFinal: false });
    places.clear();
    if (hasStarted) return '';
    hasStarted = true;
    if (isWholeStart(message)) return frame('message_start', renameModel(line, envelope.model, 2));
    const usage = isObject(message.usage)
      ? { ...NO_USAGE, ...withoutNulls(message.usage) }
      : writeUsage(usageAtStart(estimate(false)));
    const { model, id } = envelope;
    return messagesFrame({
      type: 'message_start',
      message: { ...EMPTY_MESSAGE, ...message, id: asText(message.id) || id, model, usage },
    });
  }

  function writeDelta(event: Json, line: string): string {
    stopReason = asText(asObject(event.delta).stop_reason) || stopReason;
    const agrees = noteUsage(event.usage, { isFinal: true });
    const { usage, estimated } = meteredUsage(facts, estimate);
    const isReported = readCount(asObject(event.usage).output_tokens) !== null;
    if (isReported && agrees && !estimated) return frame('message_delta', line);
    return messagesFrame({ ...event, type: 'message_delta', usage: writeUsage(usage) });
  }

  /** Opens a block that was never opened. Otherwise its content would be lost or crash the client. */
  function openBlock({ index, delta }: Json): string {
    const { type } = asObject(delta);
    if (places.has(index) || (type !== 'text_delta' && type !== 'thinking_delta')) return '';
    places.set(index, blocks);
    const empty = type === 'text_delta' ? EMPTY_TEXT : EMPTY_THOUGHT;
    return messagesFrame({ type: 'content_block_start', index: blocks++, content_block: empty });
  }

  /** Numbered from 0 without gaps. */
  function writeBlock(event: Json, line: string): string {
    const index = places.get(event.index) ?? event.index;
    const isSame = index === event.index;
    event.index = index;
    return frame(asText(event.type), isSame ? line : JSON.stringify(event));
  }

  function close(): string {
    if (whole !== null) return whole.close();
    facts.finished = hasStarted && (isStopped || stopReason !== '');
    if (!facts.finished) {
      facts.failure = brokenResponse('the provider ended its response without finishing it');
      return '';
    }
    return stopReason === '' ? writeReason() : '';
  }

  const finish = (cost: number | null): string =>
    whole === null ? writeMessageStop(cost) : whole.finish(cost);

  /** The provider finished without a stop reason. Clients wait for one, and for the usage sent with it. */
  function writeReason(): string {
    return messagesFrame({
      type: 'message_delta',
      delta: { stop_reason: hasCalls ? 'tool_use' : 'end_turn', stop_sequence: null },
      usage: writeUsage(meteredUsage(facts, estimate).usage),
    });
  }

  return {
    event,
    close,
    finish,
    learn: () =>
      unchanged && learnPattern({ lead: DELTA_LEAD, textsOf: findDelta, rewrite: String, ...unchanged }),
  };
}

const EMPTY_MESSAGE = {
  type: 'message',
  role: 'assistant',
  content: [],
  stop_reason: null,
  stop_sequence: null,
};
const NO_USAGE = {
  input_tokens: 0,
  cache_creation_input_tokens: 0,
  cache_read_input_tokens: 0,
  output_tokens: 0,
};

/** Whether the start of a message has what clients read of it. */
function isWholeStart({ id, model, content, usage }: Json): boolean {
  const counts = asObject(usage);
  const isCounted = Object.keys(NO_USAGE).every((name) => typeof counts[name] === 'number');
  return isCounted && asText(id) !== '' && asText(model) !== '' && Array.isArray(content);
}

const DELTA_LEAD = 'event: content_block_delta\n';
const DELTA_TEXTS = ['text', 'thinking', 'partial_json'];

/** The text of a delta that contains no other. */
function findDelta({ delta, content_block }: Json): VariableTexts | null {
  if (content_block !== undefined) return null;
  const [filled, ...others] = DELTA_TEXTS.filter((name) => asText(asObject(delta)[name]) !== '');
  return filled === undefined || others.length > 0 ? null : { [filled]: asText(asObject(delta)[filled]) };
}

/** The provider responded with one object, so the client gets the stream that it requested. */
function streamWhole({ facts, envelope, estimate }: PassThroughOptions): EventHandler {
  const reader = readMessageEvents(facts, { jsonTool: null });
  const usage = () => meteredUsage(facts, estimate).usage;
  const writer = writeMessagesStream(envelope, usage);
  return {
    event: (data) => reader.read(data).map(writer.write).join(''),
    close: () => reader.close().map(writer.write).join(''),
    finish: (cost) => writer.close(usage(), cost),
  };
}

function frame(type: string, line: string): string {
  return `event: ${type}\ndata: ${line}\n\n`;
}
