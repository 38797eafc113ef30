import { timingSafeEqual } from 'node:crypto';
import { signatureOf } from './signature';

/** What you set for the user. */
export type Metadata = Record<string, string | number | boolean>;

type AddedCredits = { user_id: string; metadata: Metadata; balance: number; credits_added: number };

/** Events of types that are added later arrive too: ignore them. */
export type SvcEvent = { id: string; created_at: string } & (
  | {
      type: 'user_key.created';
      /** `user_key` is null in an event that is read after its key was erased; never in a webhook. */
      data: { user_key: string | null; key_id: string; user_id: string; metadata: Metadata };
    }
  | {
      type: 'user_key.revoked';
      data: {
        key_id: string;
        user_id: string;
        metadata: Metadata;
        reason: 'user_revoked' | 'session_revoked' | 'evicted' | 'leaked' | 'holder_revoked';
      };
    }
  | {
      type: 'credits.added';
      data:
        | (AddedCredits & { type: 'purchase'; transaction_id: string })
        | (AddedCredits & { type: 'permission'; granted_credits: number });
    }
  | { type: 'test'; data: { partner_id: string; message: string } }
);

/** Those of a `Request`, of Node's `request.headers`, or of a framework. */
export type WebhookHeaders =
  | { get(name: string): string | null }
  | { readonly [name: string]: string | readonly string[] | undefined };

const TOLERANCE_SECONDS = 300;

/**
 * Returns the event of a genuine webhook, or null: respond with 400 then. `rawBody` is the body as received,
 * before any parser. During a rotation, pass both secrets.
 */
export function verifyWebhook(
  rawBody: string | Uint8Array,
  headers: WebhookHeaders,
  secret: string | readonly string[],
  nowSeconds: number = Date.now() / 1000,
): SvcEvent | null {
  if (typeof rawBody !== 'string' && !(rawBody instanceof Uint8Array))
    throw new TypeError('verifyWebhook: rawBody must be the body as received, before any parser');
  const secrets = [secret].flat();
  // Anyone could sign with an empty one.
  if (secrets.length === 0 || secrets.some((one) => typeof one !== 'string' || one === ''))
    throw new TypeError('verifyWebhook: the signing secret is missing');
  const { time, signatures } = readSignatures(headers);
  if (time === undefined || Math.abs(nowSeconds - Number(time)) > TOLERANCE_SECONDS) return null;
  const expected = secrets.map((one) => signatureOf(one, time, rawBody));
  const isGenuine = signatures.some((given) => expected.some((own) => timingSafeEqual(own, given)));
  if (!isGenuine) return null;
  return JSON.parse(typeof rawBody === 'string' ? rawBody : new TextDecoder().decode(rawBody));
}

function readSignatures(headers: WebhookHeaders): { time: string | undefined; signatures: Buffer[] } {
  const parts = (readHeader(headers) ?? '').split(',').map((part) => part.trim());
  const times = parts.filter((part) => /^t=\d{1,12}$/.test(part));
  const signatures = parts.filter((part) => /^v1=[0-9a-f]{64}$/.test(part));
  return {
    time: times.length === 1 ? times[0]?.slice(2) : undefined,
    signatures: signatures.map((part) => Buffer.from(part.slice(3), 'hex')),
  };
}

const HEADER = 'x-svc-signature';

function readHeader(headers: WebhookHeaders): string | null | undefined {
  if (isFetchHeaders(headers)) return headers.get(HEADER);
  const name = Object.keys(headers).find((key) => key.toLowerCase() === HEADER);
  const value = name === undefined ? undefined : headers[name];
  return typeof value === 'string' ? value : value?.[0];
}

const isFetchHeaders = (headers: WebhookHeaders): headers is { get(name: string): string | null } =>
  typeof headers.get === 'function';
