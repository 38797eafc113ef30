import { type Hold, keepLease } from '../ledger';
import type { CatalogModel } from '../pricing/catalog';
import type { ClientRequest } from '../protocols/client-protocol';
import type { ClientHeaders } from '../providers/headers';
import { Abort } from './abort';
import type { Estimate } from './likely-usage';
import { chargeMetered, meter, writeReceipt } from './meter';
import { hashForProviders } from './user-hash';

/** A request that holds money and is being answered. */
export type Run = {
  requestId: string;
  hold: Hold;
  /** The model that was asked for. */
  model: CatalogModel;
  client: ClientRequest;
  clientHeaders: ClientHeaders;
  wantsStream: boolean;
  /** Output tokens per answer that the hold pays for. */
  outputCap: number;
  userHash: string;
  /** What a model has likely used while it reports nothing. */
  estimate: (served: CatalogModel) => Estimate;
  /** Headers that tell the client what was changed about its request. */
  headers: Record<string, string>;
  /** Ends the provider's work. */
  abort: Abort;
  /** The candidate that was asked and has not refused: it has read the prompt. */
  working: CatalogModel | null;
  /** Bytes of output seen so far: what the lease is renewed with. */
  progress: { outputBytes: number };
  /** Gives the lease back; every way out of a run calls it after settlement. */
  endLease: () => void;
};

let running = 0;

/** Requests that this process is answering. */
export const runningGenerations = (): number => running;

type Begun = Omit<Run, 'userHash' | 'headers' | 'abort' | 'working' | 'progress' | 'endLease'>;

/** From here on its lease is renewed. */
export function startRun(begun: Begun): Run {
  const { hold, model, estimate } = begun;
  const progress = { outputBytes: 0 };
  const stopRenewing = keepLease(hold, () => {
    const metered = meter({ usage: null, providerCost: null, ...progress }, estimate(model));
    const receipt = writeReceipt(metered, { asked: model, served: model, outcome: 'failed' });
    return { charge: chargeMetered(metered, model, hold), receipt };
  });
  running++;
  const endLease = () => {
    running--;
    stopRenewing();
  };
  const userHash = hashForProviders(hold.appUserId);
  return { userHash, headers: {}, abort: new Abort(), working: null, progress, endLease, ...begun };
}
