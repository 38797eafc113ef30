import type { BadgeLook } from '@/app/_ui/badge';
import type { AttemptError } from '@/server/partners/webhooks/attempt';
import type { DeliveryStatus } from '@/server/partners/webhooks/delivery-log';

/** Delivery states and failures in words. */

export const DELIVERY_WORDS: Record<DeliveryStatus, { label: string; look: BadgeLook }> = {
  pending: { label: 'Pending', look: 'neutral' },
  delivered: { label: 'Delivered', look: 'positive' },
  failed: { label: 'Failed', look: 'danger' },
  stopped: { label: 'Stopped', look: 'warning' },
  expired: { label: 'Expired', look: 'warning' },
};

export const ATTEMPT_ERRORS: Record<AttemptError, string> = {
  timeout: 'No response within 5 seconds',
  connection: 'The connection failed',
  tls: 'The certificate or TLS handshake failed',
  bad_response: 'The response was not HTTP',
  dns: 'The host name was not found',
  blocked_address: 'The host resolves to an IP address that is not public',
  lost: 'Unknown: our process stopped during the attempt',
};

/** The outcome of an attempt, in a few words. */
export function describeOutcome({
  status,
  error,
}: {
  status: number | null;
  error: AttemptError | null;
}): string {
  if (status !== null) return `HTTP ${status}`;
  return error === null ? 'No response yet' : ATTEMPT_ERRORS[error];
}
