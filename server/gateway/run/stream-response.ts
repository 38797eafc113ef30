import { SECOND_MS } from '../../base/clock';
import { dollarsToJson } from '../../base/credits';
import { ApiError } from '../../base/errors';
import { type ApiRequest, watchClient } from '../../base/http/api-request';
import type { ClientStream, Reply, StreamBody } from '../../base/http/reply';
import { describeError, log } from '../../base/log';
import type { Receipt } from '../../ledger';
import type { StreamFacts } from '../providers/stream-relay';
import type { ProviderStream } from './attempt';
import { finishBackgroundRead } from './background-reads';
import { handleDisconnect, hasReachedGoal } from './client-disconnect';
import type { Claim, KeptReply } from './idempotent-requests';
import { type Interrupted, UNINTERRUPTED } from './likely-usage';
import { chargeMetered, meter } from './meter';
import type { OpenedStream } from './open-stream';
import { hiddenOutput, mayNotBeCutOff, type Run, unseenOutput } from './run';
import { addLoss, chargeRun, settleWithoutResponse } from './settle-run';

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
 * Relays a stream read by read. From here on, failures are reported inside the stream. The request is
 * settled before the last bytes are sent, so that a balance read afterwards includes the charge.
 */
export function streamResponse(
  run: Run,
  response: ProviderStream,
  request: ApiRequest,
): Reply & { body: StreamBody } {
  const { stream } = response;
  const { relay } = stream;
  const { contentType } = relay;
  const type = contentType === undefined ? null : { 'content-type': contentType };
  const headers = { ...STREAM_HEADERS, ...type, ...run.headers };
  const endAtGoal = checkGoal(run, response);
  run.disconnect = () => {
    handleDisconnect(run, relay.facts);
    endAtGoal();
  };
  const stopWatching = watchClient(request, run.disconnect);
  const relayBody = async (client: ClientStream): Promise<void> => {
    let isOpen = true;
    run.endResponse = (error) => {
      isOpen = false;
      if (relay.isBytes) client.breakOff();
      else client.end(relay.fail(error));
    };
    const rest = await relayToClient(run, stream, client);
    stopWatching();
    mayNotBeCutOff(run);
    if (run.disconnectedAtMs !== null) await readToGoal(run, stream, endAtGoal);
    const cost = await settleStream(run, response);
    const { failure } = relay.facts;
    const end = failure === null ? relay.finish(cost) : relay.fail(toStreamError(failure.error));
    if (run.keeper !== null && relay.facts.finished) await run.keeper.keep();
    if (run.claim !== null) await endClaim(run.claim, relay.facts, { body: rest + end, headers });
    if (isOpen && relay.isBytes && failure !== null) client.breakOff();
    else if (isOpen) client.end(rest + end);
  };
  // Whatever fails in between, the call is charged or its loss recorded, and the lease ends.
  const body = async (client: ClientStream): Promise<void> => {
    try {
      await relayBody(client);
    } catch (error) {
      stopWatching();
      run.abort.abort();
      if (run.working !== null) run.working.produced = relay.facts;
      await settleWithoutResponse(run, 'unreadable_response');
      throw error;
    }
  };
  return { body, headers };
}

/** Only a complete stream is kept. `last` is its end. */
function endClaim(claim: Claim, { finished, failure }: StreamFacts, last: KeptReply): Promise<void> {
  return finished && failure === null ? claim.keep(last) : claim.end();
}

/** Returns what is left to send at the end of the stream, or when the client has disconnected. */
async function relayToClient(run: Run, stream: OpenedStream, client: ClientStream): Promise<string> {
  const { relay } = stream;
  const keepalive = setTimeout(() => {
    if (!client.isFull) client.write(relay.keepalive);
    keepalive.refresh();
  }, KEEPALIVE_EVERY_MS);
  try {
    for (;;) {
      if (client.isFull) await client.drained();
      if (run.disconnectedAtMs !== null) return '';
      const { text, done } = await stream.next();
      run.outputBytes = relay.facts.outputBytes;
      if (done) return text;
      if (text === '') continue;
      keepalive.refresh();
      run.claim?.record(text);
      client.write(text);
    }
  } finally {
    clearTimeout(keepalive);
  }
}

/** Reads the stream after a client disconnect, unless that cancelled it: as far as it is needed. */
async function readToGoal(run: Run, { relay, next }: OpenedStream, endAtGoal: () => void): Promise<void> {
  for (let done = false; !done && !run.abort.aborted; ) {
    const piece = await next();
    done = piece.done;
    run.claim?.record(piece.text);
    run.outputBytes = relay.facts.outputBytes;
    if (!done) endAtGoal();
  }
  if (relay.facts.failure !== null) run.abort.abort();
}

/**
 * Returns the function that cancels the provider once the stream has shown what it is read for, or what is reported costs the whole
 * hold. Without reported input the hold may be too low, so the cost is not known. A stream that a retry will get is
 * read to its end.
 */
function checkGoal(run: Run, { served, stream }: ProviderStream): () => void {
  const { facts } = stream.relay;
  const estimate = run.estimate(served);
  const mostBytes = MAX_BYTES_PER_TOKEN * run.outputCap * run.choices;
  const costsHold = () =>
    facts.outputBytes > mostBytes ||
    (facts.usage !== null &&
      chargeMetered(meter(facts, estimate), served.model, run.hold).charge >= run.hold.amount);
  return () => {
    if (run.abort.aborted || run.claim?.isRecording) return;
    if (hasReachedGoal(run, facts)) finishBackgroundRead(run);
    else if (costsHold()) run.abort.abort();
  };
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

/** Charges the output produced, whichever side ended the stream. Returns what was charged, in USD. */
async function settleStream(run: Run, { served, stream }: ProviderStream): Promise<number> {
  const { facts } = stream.relay;
  const outcome = outcomeOf(run, facts);
  if (outcome === 'failed') noteEarlyEnd(run, facts);
  run.call?.end();
  const estimate = run.estimate(served);
  const billed = meter(facts, estimate, unseenPart(run, facts));
  const isCharged = outcome !== 'failed' || stream.cutBy() === 'timeout';
  const metered = isCharged ? billed : meter(facts, estimate);
  if (!isCharged) addLoss(run, served, billed, stream.cutBy() ?? 'failed_response', metered);
  return dollarsToJson(await chargeRun(run, served, metered, outcome));
}

/** What the provider may bill of a stream that nobody saw. */
function unseenPart(run: Run, { finished, outputDeltas }: StreamFacts): Interrupted {
  if (finished) return hiddenOutput(run);
  return run.working === null ? UNINTERRUPTED : unseenOutput(run, run.working, outputDeltas);
}

function noteEarlyEnd({ call, requestId }: Run, { failure }: StreamFacts): void {
  call?.fail(failure?.kind ?? 'unavailable');
  log().warn({ request_id: requestId, cause: describeError(failure?.error.cause) }, 'stream ended early');
}
