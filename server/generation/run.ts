import { type ApiError, stopping } from '../errors';
import { ALL_APPS, type Hold, keepLease, type ReceiptAttempt, readStops } from '../ledger';
import type { CatalogModel } from '../pricing/catalog';
import type { ClientRequest } from '../protocols/client-protocols';
import type { ClientHeaders, Exchange } from '../providers/exchange';
import { extendTrace, finishTrace, type Span } from '../tracing';
import { Abort } from './abort';
import type { Candidate, Candidates } from './candidates';
import type { Claim } from './idempotent-requests';
import type { Keeper } from './kept-responses';
import type { Estimate } from './likely-usage';
import { chargeMetered, meter, writeReceipt } from './meter';
import { createPlace } from './provider-share';
import { limitReached } from './refusals';
import { hashForProviders } from './user-hash';

/** The call to a candidate that has not rejected the request: it has read the prompt. */
export type Working = {
  served: Candidate;
  exchange: Exchange;
  sinceMs: number;
  /** When its response was complete, if that was needed. */
  endedAtMs?: number;
};

/** A call to a candidate: the content of the request was sent to its provider. */
export type NotedAttempt = { model: CatalogModel; atMs: number; outcome: ReceiptAttempt['outcome'] };

/**
 * How far a response is read after a client disconnect: until the provider has reported its input, until it has
 * accepted the content and begun, or until it has reported its usage.
 */
export type ReadGoal = 'input' | 'start' | 'usage';

/** A running request: it has a hold, and its response is not settled yet. */
export type Run = {
  requestId: string;
  hold: Hold;
  /** Keeps the response of a request with an `Idempotency-Key`; null without one. */
  claim: Claim | null;
  candidates: Candidates;
  /** The requested model, which is that of the first candidate. */
  model: CatalogModel;
  /** What was understood differently from how the client wrote it. */
  warnings: readonly string[];
  client: ClientRequest;
  /** Keeps the response; null in formats without references to earlier responses. */
  keeper: Keeper | null;
  clientHeaders: ClientHeaders;
  wantsStream: boolean;
  /** Whether preparing the request takes too little time to let others run afterwards. */
  isSmall: boolean;
  /** Whether writing the request at once would block other requests. */
  isLarge: boolean;
  /** Output tokens per choice that the hold covers. */
  outputCap: number;
  /** Web searches that the hold covers. */
  searches: number;
  choices: number;
  /** The prompt contains images or documents, whose tokens only the provider can count. */
  hasMedia: boolean;
  userHash: string;
  /** The usage that is charged if a candidate reports none. */
  estimate: (served: Candidate) => Estimate;
  /** Headers that inform the client of changes to its request. */
  headers: Record<string, string>;
  /** Cancels the call to the provider. */
  abort: Abort;
  working: Working | null;
  /** In order. */
  attempts: NotedAttempt[];
  /** The span of the current call to a provider; undefined without tracing. */
  call: Span | undefined;
  /** When the client disconnected; null while it is connected. */
  disconnectedAtMs: number | null;
  /** How far the response is read after the disconnect; null if the provider is cancelled. */
  readGoal: ReadGoal | null;
  /** The error that the client receives, because the instance stops or the user has stopped the app. */
  cutOff: ApiError | null;
  /** The candidate that refused the content of the request, and bills for that. */
  refusedBy: Candidate | null;
  /** Bytes of output so far. Each renewal of the lease reports them. */
  progress: { outputBytes: number };
  /** Takes a place at the provider that is called, and gives up the one before. */
  occupy: (provider: string) => void;
  /** Called after settlement, however the run ended. */
  endLease: () => void;
};

const running = new Set<Run>();

/** The number of requests running in this process. */
export const runningGenerations = (): number => running.size;

/** Ends the requests whose clients are connected, because the instance stops. Returns how many. */
export function cutOffRunning(): number {
  return cutOff(() => true, stopping);
}

/** Ends the requests that a user has stopped. A background job looks for stops, on every instance. */
export async function endStoppedRequests(): Promise<void> {
  if (running.size === 0) return;
  for (const { userId, partnerId } of await readStops()) {
    const scope = partnerId === ALL_APPS ? 'all' : 'app';
    const isStopped = ({ hold }: Run) =>
      hold.userId === userId && (partnerId === ALL_APPS || hold.partnerId === partnerId);
    cutOff(isStopped, () => limitReached({ kind: 'stop', scope, resetsAt: null }));
  }
}

function cutOff(isMeant: (run: Run) => boolean, errorOf: () => ApiError): number {
  const connected = [...running].filter(
    (run) => run.disconnectedAtMs === null && run.cutOff === null && isMeant(run),
  );
  for (const run of connected) {
    run.cutOff = errorOf();
    run.abort.abort();
  }
  return connected.length;
}

type Started = Omit<
  Run,
  | 'model'
  | 'userHash'
  | 'headers'
  | 'abort'
  | 'working'
  | 'attempts'
  | 'call'
  | 'disconnectedAtMs'
  | 'readGoal'
  | 'cutOff'
  | 'refusedBy'
  | 'progress'
  | 'occupy'
  | 'endLease'
>;

/** From here on the lease is renewed. */
export function startRun(started: Started): Run {
  const { hold, candidates, estimate } = started;
  const [requested] = candidates;
  const { model } = requested;
  const progress = { outputBytes: 0 };
  const attempts: NotedAttempt[] = [];
  let ofRequested: Estimate | undefined;
  const stopRenewing = keepLease(hold, () => {
    ofRequested ??= estimate(requested);
    const metered = meter({ usage: null, providerCost: null, ...progress }, ofRequested);
    const receipt = writeReceipt(metered, { requested: model, served: model, attempts, outcome: 'failed' });
    return { charge: chargeMetered(metered, model, hold), receipt };
  });
  const occupy = createPlace();
  const endLease = () => {
    running.delete(run);
    occupy(null);
    stopRenewing();
    finishTrace(started.requestId);
  };
  const userHash = hashForProviders(hold.appUserId);
  const abort = new Abort();
  const run: Run = {
    model,
    userHash,
    headers: {},
    abort,
    working: null,
    attempts,
    call: undefined,
    disconnectedAtMs: null,
    readGoal: null,
    cutOff: null,
    refusedBy: null,
    progress,
    occupy,
    endLease,
    ...started,
  };
  running.add(run);
  extendTrace(started.requestId);
  return run;
}
