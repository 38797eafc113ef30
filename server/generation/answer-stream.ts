import type { Dispatcher } from 'undici';
import { ApiError } from '../errors';
import { chatErrorBody } from '../http/error-bodies';
import { capture } from '../ledger';
import { describeError, log } from '../log';
import { type ChatStream, readChatStream } from '../providers/openai/read-chat-stream';
import { chargeMetered, meter, writeReceipt } from './meter';
import type { Run } from './run';

const STREAM_HEADERS = {
  'content-type': 'text/event-stream; charset=utf-8',
  'cache-control': 'no-cache, no-transform',
  'x-accel-buffering': 'no',
};

type Chunks = AsyncIterator<Uint8Array>;
type Ending = 'completed' | 'failed' | 'aborted';

/**
 * Relays a stream in the chunks it came in. The status is committed only after the first event
 * was seen to be good; what fails later is told inside the stream. Settled before the last byte
 * goes out, so that whoever reads the balance next sees the charge.
 */
export async function answerStream(run: Run, upstream: Dispatcher.ResponseData): Promise<Response> {
  const stream = readChatStream({
    model: run.model.id,
    includeUsage: run.body.stream_options?.include_usage === true,
  });
  const chunks: Chunks = upstream.body[Symbol.asyncIterator]();
  const first = await readFirstEvent(stream, chunks);
  return new Response(relay(run, stream, chunks, first), { headers: { ...STREAM_HEADERS, ...run.headers } });
}

/** Reads until the first event; a failure here can still become a real status. */
async function readFirstEvent(stream: ChatStream, chunks: Chunks): Promise<string> {
  const { facts } = stream;
  let text = '';
  try {
    while (!facts.started && facts.failure === null) {
      const { done, value } = await chunks.next();
      text += done ? stream.end() : stream.push(value);
      if (done) break;
    }
  } catch (cause) {
    throw new ApiError('upstream_error', 'The provider of this model broke off its answer', { cause });
  }
  if (!facts.started) {
    throw new ApiError('upstream_error', 'The provider of this model returned an error', {
      cause: new Error(facts.failure ?? 'the stream ended before its first event'),
    });
  }
  return text;
}

function relay(run: Run, stream: ChatStream, chunks: Chunks, first: string): ReadableStream<Uint8Array> {
  const encoder = new TextEncoder();
  const settleOnce = once((ending: Ending) => settle(run, stream, ending));
  return new ReadableStream<Uint8Array>({
    start(controller) {
      if (first !== '') controller.enqueue(encoder.encode(first));
    },
    async pull(controller) {
      const { text, ending } = await readMore(run, stream, chunks);
      if (text !== '') controller.enqueue(encoder.encode(text));
      if (ending === null) return;
      await settleOnce(ending);
      controller.enqueue(encoder.encode(closing(ending)));
      controller.close();
    },
    async cancel() {
      run.abort.abort();
      await settleOnce('aborted');
    },
  });
}

/** Reads until there is something to send or the stream is over. */
async function readMore(
  run: Run,
  stream: ChatStream,
  chunks: Chunks,
): Promise<{ text: string; ending: Ending | null }> {
  const { facts } = stream;
  try {
    for (;;) {
      if (facts.failure !== null) return { text: '', ending: 'failed' };
      const { done, value } = await chunks.next();
      const text = done ? stream.end() : stream.push(value);
      run.progress.outputBytes = facts.outputBytes;
      if (done) return { text, ending: facts.finished && facts.failure === null ? 'completed' : 'failed' };
      if (text !== '') return { text, ending: null };
    }
  } catch (error) {
    if (!run.abort.signal.aborted) {
      log().warn({ requestId: run.requestId, error: describeError(error) }, 'upstream stream broke off');
    }
    return { text: '', ending: run.abort.signal.aborted ? 'aborted' : 'failed' };
  }
}

/** A finished stream says `[DONE]`; a broken one says so instead of pretending to have finished. */
function closing(ending: Ending): string {
  if (ending === 'completed') return 'data: [DONE]\n\n';
  const error = new ApiError('upstream_error', 'The provider of this model broke off its answer');
  return `data: ${JSON.stringify(chatErrorBody(error))}\n\n`;
}

/** Charges what was produced, whoever ended the stream. */
async function settle(run: Run, stream: ChatStream, ending: Ending): Promise<void> {
  const { usage, outputBytes } = stream.facts;
  const metered = meter(usage, run.body, outputBytes);
  await capture(
    run.hold,
    chargeMetered(metered, run.model, run.hold),
    writeReceipt(metered, run.model, ending),
  );
  run.endLease();
}

function once<Argument>(work: (argument: Argument) => Promise<void>): (argument: Argument) => Promise<void> {
  let result: Promise<void> | undefined;
  return (argument) => {
    result ??= work(argument);
    return result;
  };
}
