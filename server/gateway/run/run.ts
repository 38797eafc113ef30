import { now } from '../../base/clock';
import type { ApiError } from '../../base/errors';
import { extendTrace, finishTrace, type Span } from '../../base/tracing';
import { type Hold, keepLease, type Loss, type ReceiptAttempt } from '../../ledger';
import type { CatalogModel } from '../pricing/catalog';
import type { BodySource } from '../protocols/body-source';
import type { ClientRequest } from '../protocols/client-protocols';
import type { ClientHeaders, Exchange } from '../providers/exchange';
import type { ResponseFacts } from '../providers/metered-usage';
import { Abort } from './abort';
import type { Candidate, Candidates } from './candidates';
import type { ChainedPrompt } from './counted-prompts';
import type { Claim } from './idempotent-requests';
import type { Keeper } from './kept-responses';
import { type Estimate, type Interrupted, UNINTERRUPTED } from './likely-usage';
import { chargeMetered, meter, writeReceipt } from './meter';
import { createPlace } from './provider-share';

/** The call to a candidate that has not rejected the request: it has read the prompt. */
export type Working = {
  served: Candidate;
  exchange: Exchange;
  sinceMs: number;
  /** When its response was complete, if that was needed. */
  endedAtMs?: number;
  /** What it shows of a failed response. */
  produced?: ResponseFacts | null;
};

/** A call to a candidate: the content of the request was sent to its provider. */
export type NotedAttempt = { model: CatalogModel; atMs: number; outcome: ReceiptAttempt['outcome'] };

/**
 * How far a response is read after a client disconnect: until the provider has reported its input, until it has
 * accepted the content and begun, or until it has reported its usage.
 */
export type ReadGoal = 'input' | 'start' | 'usage';

/** The request, as far as the hold covers it. */
type RunRequest = Readonly<{
  requestId: string;
  /** Those that meet the data rules. */
  candidates: Candidates;
  /** The requested model, whose provider may not meet them. */
  model: CatalogModel;
  /** Changes that svc made to the request, as warnings for the client. */
  warnings: readonly string[];
  client: ClientRequest;
  /** The JSON that the client sent; null where to write it again costs less. */
  source: BodySource | null;
  clientHeaders: ClientHeaders;
  userHash: string;
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
  /** The usage that is charged if a candidate reports none. */
  estimate: (served: Candidate) => Estimate;
  /** Null if the provider's count of the prompt says nothing about later prompts. */
  prompt: ChainedPrompt | null;
}>;

/** What has happened so far. */
type Progress = {
  /** Headers that inform the client of changes to its request. */
  headers: Record<string, string>;
  working: Working | null;
  /** In order. */
  attempts: NotedAttempt[];
  /** Calls that were billed, or may have been, and that nobody is charged for. */
  losses: Loss[];
  /** The span of the current call to a provider; undefined without tracing. */
  call: Span | undefined;
  /** Bytes of output. Each renewal of the lease reports them. */
  outputBytes: number;
  /** When the client disconnected; null while it is connected. */
  disconnectedAtMs: number | null;
  /** How far the response is read after the disconnect; null if the provider is cancelled. */
  readGoal: ReadGoal | null;
  /** The error that the client receives, because the instance stops, the user has stopped the app or the time is up. */
  cutOff: ApiError | null;
  /** The candidate that refused the content of the request, and bills for that. */
  refusedBy: Candidate | null;
};

/** What the request holds until it is settled. */
type Held = {
  readonly hold: Hold;
  /** Keeps the response of a request with an `Idempotency-Key`; null without one. */
  readonly claim: Claim | null;
  /** Keeps the response; null in formats without references to earlier responses. */
  readonly keeper: Keeper | null;
  /** Ends the response with an error while the client is connected. */
  endResponse: (error: ApiError) => void;
};

type Lease = Held & {
  /** Cancels the call to the provider. */
  readonly abort: Abort;
  /** Called when the client no longer waits. */
  disconnect: () => void;
  /** Takes a place at the provider that is called, and gives up the one before. */
  readonly occupy: (provider: string) => void;
  /** Called after settlement, however the run ended. */
  endLease: () => void;
};

/** A running request: it has a hold, and its response is not settled yet. */
export type Run = RunRequest & Progress & Lease;

const running = new Set<Run>();

/** The number of requests running in this process. */
export const runningGenerations = (): number => running.size;

/** Whether it is not settled yet. */
export const isRunning = (run: Run): boolean => running.has(run);

/** Those whose clients still wait. */
export const connectedRuns = (): Run[] =>
  [...running].filter(({ disconnectedAtMs, cutOff }) => disconnectedAtMs === null && cutOff === null);

/** The response is complete, and about to be charged: the client gets it. */
export function mayNotBeCutOff(run: Run): void {
  run.endResponse = () => {};
  run.disconnect = () => {};
}

/** From here on the lease is renewed. */
export function startRun(asked: RunRequest, { hold, claim, keeper, endResponse }: Held): Run {
  const { requestId, candidates, model, estimate } = asked;
  let ofRequested: Estimate | undefined;
  const stopRenewing = keepLease(hold, () => {
    ofRequested ??= estimate(candidates[0]);
    const { attempts, outputBytes } = run;
    const metered = meter({ usage: null, providerCost: null, outputBytes }, ofRequested, unseenSoFar(run));
    const served = candidates[0].model;
    const { dataRules } = hold;
    const facts = { requested: model, served, attempts, outcome: 'failed', dataRules } as const;
    return { charge: chargeMetered(metered, served, hold), receipt: writeReceipt(metered, facts) };
  });
  const occupy = createPlace();
  const abort = new Abort();
  const run: Run = {
    headers: {},
    working: null,
    attempts: [],
    losses: [],
    call: undefined,
    outputBytes: 0,
    disconnectedAtMs: null,
    readGoal: null,
    cutOff: null,
    refusedBy: null,
    hold,
    claim,
    keeper,
    abort,
    occupy,
    endResponse,
    disconnect: () => abort.abort(),
    endLease: () => {
      running.delete(run);
      occupy(null);
      stopRenewing();
      finishTrace(requestId);
    },
    ...asked,
  };
  running.add(run);
  extendTrace(requestId);
  return run;
}

/** If the instance dies, the provider may have produced this much that nobody saw. */
const unseenSoFar = (run: Run): Interrupted =>
  run.working === null ? UNINTERRUPTED : unseenOutput(run, run.working);

/** For an estimate: what a provider may have produced that was neither seen nor reported. */
export function unseenOutput(run: Run, { exchange, sinceMs }: Working, outputDeltas = 0): Interrupted {
  return { unseenMs: hidesOutput(run, exchange) ? Math.max(0, now() - sinceMs) : 0, outputDeltas };
}

export const hidesOutput = ({ wantsStream }: Run, exchange: Exchange): boolean =>
  !wantsStream || exchange.mayHideOutput();

/** For an estimate: how long the model may have reasoned before a complete response. The same for each caller. */
export function hiddenOutput({ working }: Run): Interrupted {
  if (working === null || !working.exchange.mayHideOutput()) return UNINTERRUPTED;
  working.endedAtMs ??= now();
  return { unseenMs: Math.max(0, working.endedAtMs - working.sinceMs), outputDeltas: 0, isWhole: true };
}
