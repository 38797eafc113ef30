import { type Hold, keepLease } from '../ledger';
import type { CatalogModel } from '../pricing/catalog';
import type { ClientRequest } from '../protocols/client-protocols';
import type { ClientHeaders, Exchange } from '../providers/exchange';
import { Abort } from './abort';
import type { Candidate, Candidates } from './candidates';
import type { Keeper } from './kept-responses';
import type { Estimate } from './likely-usage';
import { chargeMetered, meter, writeReceipt } from './meter';
import { createPlace } from './provider-share';
import { hashForProviders } from './user-hash';

/** The call to a candidate that has not rejected the request: it has read the prompt. */
export type Working = { served: Candidate; exchange: Exchange; sinceMs: number };

/**
 * How far a response is read after a client disconnect: until the provider has reported its input, until it has
 * accepted the content and begun, or until it has reported its usage.
 */
export type ReadGoal = 'input' | 'start' | 'usage';

/** A running request: it has a hold, and its response is not settled yet. */
export type Run = {
  requestId: string;
  hold: Hold;
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
  /** When the client disconnected; null while it is connected. */
  disconnectedAtMs: number | null;
  /** How far the response is read after the disconnect; null if the provider is cancelled. */
  readGoal: ReadGoal | null;
  /** Cut off because the instance stops. */
  isCutOff: boolean;
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
  const connected = [...running].filter(({ disconnectedAtMs }) => disconnectedAtMs === null);
  for (const run of connected) {
    run.isCutOff = true;
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
  | 'disconnectedAtMs'
  | 'readGoal'
  | 'isCutOff'
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
  let ofRequested: Estimate | undefined;
  const stopRenewing = keepLease(hold, () => {
    ofRequested ??= estimate(requested);
    const metered = meter({ usage: null, providerCost: null, ...progress }, ofRequested);
    const receipt = writeReceipt(metered, { requested: model, served: model, outcome: 'failed' });
    return { charge: chargeMetered(metered, model, hold), receipt };
  });
  const occupy = createPlace();
  const endLease = () => {
    running.delete(run);
    occupy(null);
    stopRenewing();
  };
  const userHash = hashForProviders(hold.appUserId);
  const abort = new Abort();
  const run: Run = {
    model,
    userHash,
    headers: {},
    abort,
    working: null,
    disconnectedAtMs: null,
    readGoal: null,
    isCutOff: false,
    refusedBy: null,
    progress,
    occupy,
    endLease,
    ...started,
  };
  running.add(run);
  return run;
}
