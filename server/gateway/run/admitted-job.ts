import type { Picocredits } from '../../base/credits';
import type { Reply } from '../../base/http/reply';
import type { Hold } from '../../ledger';
import type { ClientRequest } from '../protocols/client-protocols';
import type { Candidate } from './candidates';
import type { Claim } from './idempotent-requests';

/** An admitted request that a job continues, after its response. */
export type AdmittedJob = {
  client: ClientRequest;
  candidate: Candidate;
  hold: Hold;
  /** Keeps the response of a request with an `Idempotency-Key`; null without one. */
  claim: Claim | null;
  /** The most that it may cost, before commission. */
  mostCost: Picocredits;
  /** Whether writing the request at once would block other requests. */
  isLarge: boolean;
  userHash: string;
  /** Changes that svc made to the request. */
  warnings: readonly string[];
};

/** Makes the job, which owns the hold from there on. */
export type StartJob = (admitted: AdmittedJob) => Promise<Reply>;
