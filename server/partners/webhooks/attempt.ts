import { now, nowDate, SECOND_MS } from '../../base/clock';
import { maskSecrets } from '../../base/log';
import { openSealed } from '../../base/seal';
import type { Claim } from './claim';
import { parseEndpointUrl } from './endpoint-url';
import { findPublicAddresses, loopbackAddresses } from './find-addresses';
import { type PostFailure, post } from './post';
import { signatureHeader } from './sign';
import { openSecret } from './signing-secret';

/** For the whole attempt: DNS lookup, connection, handshake, request and status line. */
export const ATTEMPT_TIMEOUT_MS = 5 * SECOND_MS;

export type AttemptError =
  | PostFailure
  | 'dns'
  /** The host resolves to an IP address that is not public. */
  | 'blocked_address'
  /** The process that sent it died, so the result is unknown. */
  | 'lost';

export type AttemptResult = {
  beganAt: Date;
  durationMs: number;
  /** Null when no status line arrived; `error` has the reason. */
  status: number | null;
  error: AttemptError | null;
  /** The first kilobyte of the response as text, with secrets masked. */
  response: string;
};

/** Sends a claimed delivery once. Never throws because of the receiver. */
export async function attempt(claim: Claim): Promise<AttemptResult> {
  const beganAt = nowDate();
  const beganAtMs = performance.now();
  const body = openSealed(claim.body, claim.eventId);
  const secret = openSecret(claim.secret, claim.partnerId);
  const outcome = await send(claim, body, secret);
  return { beganAt, durationMs: Math.round(performance.now() - beganAtMs), ...outcome };
}

type Outcome = Pick<AttemptResult, 'status' | 'error' | 'response'>;

async function send(claim: Claim, body: string, secret: string): Promise<Outcome> {
  const signal = AbortSignal.timeout(ATTEMPT_TIMEOUT_MS);
  const place = await findPlace(claim.url, signal);
  if ('error' in place) return failure(place.error);
  const result = await post({
    ...place,
    body,
    signal,
    headers: {
      'content-type': 'application/json',
      'accept-encoding': 'identity',
      'user-agent': 'svc-webhooks',
      'X-svc-Event': claim.type,
      'X-svc-Signature': signatureHeader(secret, body, Math.floor(now() / SECOND_MS)),
    },
  });
  if (!result.ok) return failure(result.error);
  return { status: result.status, error: null, response: toShownText(result.excerpt) };
}

type Destination = { url: URL; addresses: string[] };

/** The URL was valid when it was registered; it is checked again on every attempt. */
async function findPlace(text: string, signal: AbortSignal): Promise<Destination | { error: AttemptError }> {
  const parsed = parseEndpointUrl(text);
  if (!parsed.ok) return { error: 'blocked_address' };
  if (parsed.isLoopback) return { url: parsed.url, addresses: loopbackAddresses(parsed.url) };
  try {
    const found = await findPublicAddresses(parsed.url, signal);
    if (found.ok) return { url: parsed.url, addresses: found.addresses };
    return { error: found.reason === 'dns' ? 'dns' : 'blocked_address' };
  } catch (error) {
    if (signal.aborted) return { error: 'timeout' };
    throw error;
  }
}

const failure = (error: AttemptError): Outcome => ({ status: null, error, response: '' });

/** Masks our secrets and those of users before logging, because receivers may echo the request. */
function toShownText(excerpt: Buffer): string {
  const text = excerpt.toString('utf8').replace(/[^\P{Cc}\n\t]/gu, '');
  return maskSecrets(text);
}
