import { SECOND_MS } from '../clock';
import { ApiError } from '../errors';
import { Reply } from '../http/respond';
import { capture, type Receipt } from '../ledger';
import { describeError, log } from '../log';
import type { StreamFacts } from '../providers/stream-relay';
import type { ProviderStream } from './attempt';
import { finishBackgroundRead } from './background-reads';
import { handleDisconnect, hasReachedGoal, interruptedOutput } from './client-disconnect';
import { UNINTERRUPTED } from './likely-usage';
import { chargeMetered, meter, writeReceipt } from './meter';
import type { OpenedStream, StreamPiece } from './open-stream';
import type { Run } from './run';

const STREAM_HEADERS = {
  'content-type': 'text/event-stream; charset=utf-8',
  'cache-control': 'no-store, no-transform',
  'x-accel-buffering': 'no',
};
const KEEPALIVE_EVERY_MS = 15 * SECOND_MS;
/** No token is longer. With more bytes than this, the output exceeds the cap that the hold covers. */
const MAX_BYTES_PER_TOKEN = 128;

type Outcome = Receipt['outcome'];

/**
 * Relays a stream chunk by chunk. From here on, failures are reported inside the stream. The request is
 * settled before the last bytes are sent, so that a balance read afterwards includes the charge.
 */
export function streamResponse(run: Run, response: ProviderStream): Reply {
  const settle = once(() => settleStream(run, response));
  return new Reply(relayToClient(run, response, settle), { ...STREAM_HEADERS, ...run.headers });
}

function relayToClient(
  run: Run,
  response: ProviderStream,
  settle: () => Promise<void>,
): ReadableStream<Uint8Array> {
  const { stream } = response;
  const { relay } = stream;
  const encoder = new TextEncoder();
  let keepalive: NodeJS.Timeout | undefined;
  let hasEnded = false;
  return new ReadableStream<Uint8Array>({
    async pull(controller) {
      const send = (text: string) => text !== '' && controller.enqueue(encoder.encode(text));
      keepalive = setInterval(() => send(relay.keepalive), KEEPALIVE_EVERY_MS);
      const piece = await nextPiece(run, stream);
      clearInterval(keepalive);
      if (!piece.done) return void send(piece.text);
      hasEnded = true;
      const { failure } = relay.facts;
      await settle();
      send(failure === null ? piece.text : piece.text + relay.fail(toStreamError(failure.error)));
      controller.close();
    },
    async cancel() {
      clearInterval(keepalive);
      if (!hasEnded) {
        handleDisconnect(run, relay.facts);
        await readToGoal(run, response);
      }
      await settle();
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
 * Reads the stream after a client disconnect, unless that cancelled it: as far as it is needed, or until what is
 * reported costs the whole hold. Without reported input the hold may be too low, so the cost is not known.
 */
async function readToGoal(run: Run, { served, stream }: ProviderStream): Promise<void> {
  const { facts } = stream.relay;
  const estimate = run.estimate(served);
  const mostBytes = MAX_BYTES_PER_TOKEN * run.outputCap * run.choices;
  const costsHold = () =>
    facts.outputBytes > mostBytes ||
    (facts.usage !== null &&
      chargeMetered(meter(facts, estimate), served.model, run.hold).charge >= run.hold.amount);
  for (let done = false; !done && !run.abort.aborted; ) {
    if (hasReachedGoal(run, facts)) return finishBackgroundRead(run);
    if (costsHold()) return run.abort.abort();
    done = (await stream.next()).done;
    run.progress.outputBytes = facts.outputBytes;
  }
  if (facts.failure !== null) run.abort.abort();
}

function outcomeOf({ disconnectedAtMs }: Run, { failure }: StreamFacts): Outcome {
  if (disconnectedAtMs !== null) return 'aborted';
  return failure === null ? 'completed' : 'failed';
}

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
async function settleStream(run: Run, { served, stream }: ProviderStream): Promise<void> {
  const { facts } = stream.relay;
  const outcome = outcomeOf(run, facts);
  if (outcome === 'failed') {
    log().warn(
      { requestId: run.requestId, cause: describeError(facts.failure?.error.cause) },
      'stream ended early',
    );
  }
  const isReported = facts.finished && facts.outputReported;
  const interrupted = isReported ? UNINTERRUPTED : interruptedOutput(run, facts.outputDeltas);
  const metered = meter(facts, run.estimate(served), interrupted);
  await capture(
    run.hold,
    chargeMetered(metered, served.model, run.hold),
    writeReceipt(metered, { requested: run.model, served: served.model, outcome }),
  );
  run.endLease();
}

function once(work: () => Promise<void>): () => Promise<void> {
  let result: Promise<void> | undefined;
  return () => {
    result ??= work();
    return result;
  };
}
