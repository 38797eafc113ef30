import { networkOf } from '../../base/client-network';
import { settings } from '../../base/env';
import { ApiError } from '../../base/errors';
import type { Run } from './run';

/** How many requests of this process each network of clients has running. Those without an address are one network. */
const running = new Map<string, number>();

/** One network, which may be the server of a partner, leaves as many places to all others. */
const NETWORK_SHARE = 1 / 2;

const nameOf = (clientIp: string | null): string => networkOf(clientIp ?? '').network;

export function findNetworkRefusal(clientIp: string | null): ApiError | null {
  const most = Math.ceil(settings().LIMIT_RUNNING_PER_PROCESS * NETWORK_SHARE);
  if ((running.get(nameOf(clientIp)) ?? 0) < most) return null;
  return new ApiError(
    'rate_limited',
    'Too many requests are running from this IP address. Retry when some have ended.',
    { retryAfterSeconds: 1 },
  );
}

/** Counts a run for its network until it ends. */
export function countForNetwork(run: Run, clientIp: string | null): void {
  const network = nameOf(clientIp);
  const { endLease } = run;
  running.set(network, (running.get(network) ?? 0) + 1);
  run.endLease = () => {
    const left = (running.get(network) ?? 0) - 1;
    if (left > 0) running.set(network, left);
    else running.delete(network);
    endLease();
  };
}
