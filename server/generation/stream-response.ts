import { SECOND_MS } from '../clock';
import { ApiError } from '../errors';
import { Reply } from '../http/respond';
import { capture, type Receipt } from '../ledger';
import { describeError, log } from '../log';
import type { ProviderStream } from './attempt';
import { DRAIN_MS } from './client-disconnect';
import { chargeMetered, meter, writeReceipt } from './meter';
import type { OpenedStream, StreamPiece } from './open-stream';
import type { Run } from './run';

const STREAM_HEADERS = {
  'content-type': 'text/event-stream; charset=utf-8',
  'cache-control': 'no-cache, no-transform',
  'x-accel-buffering': 'no',
};
const KEEPALIVE_EVERY_MS = 15 * SECOND_MS;

type Outcome = Receipt['outcome'];

/**
 * Relays a stream chunk by chunk. From here on, failures are reported inside the stream. The request is
 * settled before the last bytes are sent, so that a balance read afterwards includes the charge.
 */
export function streamResponse(run: Run, response: ProviderStream): Reply {
  const settle = once((outcome: Outcome) => settleStream(run, response, outcome));
  return new Reply(relayToClient(run, response, settle), { ...STREAM_HEADERS, ...run.headers });
}

function relayToClient(
  run: Run,
  { served, stream }: ProviderStream,
  settle: (outcome: Outcome) => Promise<void>,
): ReadableStream<Uint8Array> {
  const { relay } = stream;
  const encoder = new TextEncoder();
  let keepalive: NodeJS.Timeout | undefined;
  return new ReadableStream<Uint8Array>({
    async pull(controller) {
      const send = (text: string) => text !== '' && controller.enqueue(encoder.encode(text));
      keepalive = setInterval(() => send(relay.keepalive), KEEPALIVE_EVERY_MS);
      const piece = await nextPiece(run, stream);
      clearInterval(keepalive);
      if (!piece.done) return void send(piece.text);
      const { failure } = relay.facts;
      await settle(failure === null ? 'completed' : outcomeOf(run));
      send(failure === null ? piece.text : piece.text + relay.fail(toStreamError(failure.error)));
      controller.close();
    },
    async cancel() {
      clearInterval(keepalive);
      if (served.profile.billsAfterCancel) await drain(run, stream);
      run.abort.abort();
      await settle('aborted');
    },
  });
}

async function nextPiece(run: Run, stream: OpenedStream): Promise<StreamPiece> {
  for (;;) {
    const piece = await stream.next();
    run.progress.outputBytes = stream.relay.facts.outputBytes;
    if (piece.done || piece.text !== '') return piece;
  }
}

/**
 * Reads the stream to its end after a client disconnect: this provider bills the whole response anyway, and
 * the end of the stream reports the exact usage.
 */
async function drain(run: Run, stream: OpenedStream): Promise<void> {
  const stop = setTimeout(() => run.abort.abort(), DRAIN_MS);
  while (!(await nextPiece(run, stream)).done) {
    // Only the usage matters.
  }
  clearTimeout(stop);
}

const outcomeOf = (run: Run): Outcome => (run.abort.aborted ? 'aborted' : 'failed');

/**
 * After the first byte the status cannot change, so an error frame reports that the response is incomplete.
 */
function toStreamError(error: ApiError): ApiError {
  return error.code === 'upstream_error'
    ? error
    : new ApiError('upstream_error', 'The provider for this model ended the response early', {
        cause: error,
      });
}

/** Charges the output produced, whichever side ended the stream. */
async function settleStream(run: Run, { served, stream }: ProviderStream, outcome: Outcome): Promise<void> {
  const { facts } = stream.relay;
  if (outcome === 'failed') {
    log().warn(
      { requestId: run.requestId, cause: describeError(facts.failure?.error.cause) },
      'stream ended early',
    );
  }
  const metered = meter(facts, run.estimate(served));
  await capture(
    run.hold,
    chargeMetered(metered, served.model, run.hold),
    writeReceipt(metered, { requested: run.model, served: served.model, outcome }),
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
