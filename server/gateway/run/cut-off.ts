import { type ApiError, stopping } from '../../base/errors';
import { invalidUserKey } from '../../base/http/credentials';
import { ALL_APPS, readStops } from '../../ledger';
import { findRevokedRunKeys } from '../../people/keys/run-keys';
import { limitReached } from './refusals';
import { connectedRuns, type Run, runningGenerations } from './run';

/** Ends the response with an error, at once. For the bill, the client has disconnected. */
export function cutOff(run: Run, error: ApiError): void {
  run.cutOff = error;
  run.endResponse(error);
  run.disconnect();
}

/** Ends the requests whose clients are connected, because the instance stops. Returns how many. */
export function cutOffRunning(): number {
  const connected = connectedRuns();
  for (const run of connected) cutOff(run, stopping());
  return connected.length;
}

/** Ends the requests that a user has stopped, and those of revoked run keys. A background job looks for stops, on every instance. */
export async function endStoppedRequests(): Promise<void> {
  if (runningGenerations() === 0) return;
  await endRevokedRequests();
  for (const { userId, partnerId } of await readStops()) {
    const scope = partnerId === ALL_APPS ? 'all' : 'app';
    for (const run of connectedRuns()) {
      const isMeant = partnerId === ALL_APPS || run.hold.partnerId === partnerId;
      if (run.hold.userId === userId && isMeant)
        cutOff(run, limitReached({ kind: 'stop', scope, resetsAt: null }));
    }
  }
}

async function endRevokedRequests(): Promise<void> {
  const ids = connectedRuns().flatMap(({ hold }) => (hold.budgets === undefined ? [] : [hold.keyId]));
  if (ids.length === 0) return;
  const revoked = await findRevokedRunKeys(ids);
  for (const run of connectedRuns()) if (revoked.has(run.hold.keyId)) cutOff(run, invalidUserKey());
}
