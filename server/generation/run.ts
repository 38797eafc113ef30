import { type Hold, keepLease } from '../ledger';
import type { CatalogModel } from '../pricing/catalog';
import type { ClientRequest } from '../protocols/client-protocols';
import type { ClientHeaders } from '../providers/exchange';
import { Abort } from './abort';
import type { Candidate, Candidates } from './candidates';
import type { Estimate } from './likely-usage';
import { chargeMetered, meter, writeReceipt } from './meter';
import { hashForProviders } from './user-hash';

/** A request while it runs: it has a hold, and its response is on the way. */
export type Run = {
  requestId: string;
  hold: Hold;
  candidates: Candidates;
  /** The model that was requested: that of the first candidate. */
  model: CatalogModel;
  client: ClientRequest;
  clientHeaders: ClientHeaders;
  wantsStream: boolean;
  /** Output tokens per choice that the hold pays for. */
  outputCap: number;
  userHash: string;
  /** The likely usage of a candidate that reports none. */
  estimate: (served: Candidate) => Estimate;
  /** Headers that tell the client what was changed in its request. */
  headers: Record<string, string>;
  /** Cancels the call to the provider. */
  abort: Abort;
  /** The candidate that was called and has not refused: it has read the prompt. */
  working: Candidate | null;
  /** Bytes of output seen so far: each renewal of the lease reports them. */
  progress: { outputBytes: number };
  /** Called after settlement, however the run ended. */
  endLease: () => void;
};

let running = 0;

/** Requests that are running in this process. */
export const runningGenerations = (): number => running;

type Started = Omit<Run, 'model' | 'userHash' | 'headers' | 'abort' | 'working' | 'progress' | 'endLease'>;

/** From here on the lease is renewed. */
export function startRun(started: Started): Run {
  const { hold, candidates, estimate } = started;
  const [requested] = candidates;
  const { model } = requested;
  const progress = { outputBytes: 0 };
  const stopRenewing = keepLease(hold, () => {
    const metered = meter({ usage: null, providerCost: null, ...progress }, estimate(requested));
    const receipt = writeReceipt(metered, { requested: model, served: model, outcome: 'failed' });
    return { charge: chargeMetered(metered, model, hold), receipt };
  });
  running++;
  const endLease = () => {
    running--;
    stopRenewing();
  };
  const userHash = hashForProviders(hold.appUserId);
  return { model, userHash, headers: {}, abort: new Abort(), working: null, progress, endLease, ...started };
}
