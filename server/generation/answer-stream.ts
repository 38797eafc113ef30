import { SECOND_MS } from '../clock';
import { ApiError } from '../errors';
import { Reply } from '../http/respond';
import { capture, type Receipt } from '../ledger';
import { describeError, log } from '../log';
import type { AnsweredStream } from './attempt';
import { DRAIN_MS } from './leave';
import { chargeMetered, meter, writeReceipt } from './meter';
import type { OpenedStream, StreamPiece } from './open-stream';
import type { Run } from './run';
import { profileFor } from './upstream';

const STREAM_HEADERS = {
  'content-type': 'text/event-stream; charset=utf-8',
  'cache-control': 'no-cache, no-transform',
  'x-accel-buffering': 'no',
};
const KEEPALIVE_EVERY_MS = 15 * SECOND_MS;

type Outcome = Receipt['outcome'];

/**
 * Relays a stream in the chunks it came in; what fails from here on is told inside the stream.
 * Settled before the last bytes go out, so that whoever reads the balance next sees the charge.
 */
export function answerStream(run: Run, answer: AnsweredStream): Reply {
  const settle = once((outcome: Outcome) => settleStream(run, answer, outcome));
  return new Reply(relayToClient(run, answer, settle), { ...STREAM_HEADERS, ...run.headers });
}

function relayToClient(
  run: Run,
  { served, stream }: AnsweredStream,
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
      send(failure === null ? piece.text : piece.text + relay.fail(brokenOff(failure.error)));
      controller.close();
    },
    async cancel() {
      clearInterval(keepalive);
      if (profileFor(served.provider).billsAfterCancel) await drain(run, stream);
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

/** Nobody reads any more, but the provider bills on: its last word is the true usage. */
async function drain(run: Run, stream: OpenedStream): Promise<void> {
  const stop = setTimeout(() => run.abort.abort(), DRAIN_MS);
  while (!(await nextPiece(run, stream)).done) {
    // only the usage matters
  }
  clearTimeout(stop);
}

const outcomeOf = (run: Run): Outcome => (run.abort.aborted ? 'aborted' : 'failed');

/** After the first byte the status is fixed; the frame tells that the answer is not whole. */
function brokenOff(error: ApiError): ApiError {
  return error.code === 'upstream_error'
    ? error
    : new ApiError('upstream_error', 'The provider of this model broke off its answer', { cause: error });
}

/** Charges what was produced, whoever ended the stream. */
async function settleStream(run: Run, { served, stream }: AnsweredStream, outcome: Outcome): Promise<void> {
  const { facts } = stream.relay;
  if (outcome === 'failed') {
    log().warn(
      { requestId: run.requestId, cause: describeError(facts.failure?.error.cause) },
      'stream broke off',
    );
  }
  const metered = meter(facts, run.estimate(served));
  await capture(
    run.hold,
    chargeMetered(metered, served, run.hold),
    writeReceipt(metered, { asked: run.model, served, outcome }),
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
