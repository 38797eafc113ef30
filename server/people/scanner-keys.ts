import { createPublicKey, createVerify, type KeyObject } from 'node:crypto';
import { z } from 'zod';
import { HOUR_MS, MINUTE_MS, now, SECOND_MS } from '../base/clock';
import { settings } from '../base/env';
import { ApiError } from '../base/errors';

/**
 * The public keys that sign reports of leaked secrets, in the format of GitHub's secret scanning partner
 * program. The list is kept for an hour, and longer while it cannot be read. An unknown key identifier reads
 * it again, at most once a minute.
 */

const FRESH_MS = HOUR_MS;
const READ_AT_MOST_EVERY_MS = MINUTE_MS;
const TIMEOUT_MS = 5 * SECOND_MS;
const RETRY_AFTER_SECONDS = 60;
const MAX_LIST_CHARACTERS = 100_000;

const listSchema = z.object({
  public_keys: z.array(z.object({ key_identifier: z.string(), key: z.string() })).max(100),
});

let keys = new Map<string, KeyObject>();
let readAt = Number.NEGATIVE_INFINITY;
let triedAt = Number.NEGATIVE_INFINITY;
let reading: Promise<void> | undefined;

/** Refuses a request whose key is not on the list, before its body is read. */
export async function requireScannerKey(identifier: string | null): Promise<KeyObject> {
  if (identifier === null) throw invalidSignature();
  const isFresh = keys.has(identifier) && now() - readAt < FRESH_MS;
  if (!isFresh && now() - triedAt >= READ_AT_MOST_EVERY_MS) reading ??= readList();
  const failure = await reading?.then(
    () => null,
    (error: unknown) => error,
  );
  const key = keys.get(identifier);
  if (key !== undefined) return key;
  // Without the list, a report that may be genuine must be sent again.
  if (readAt < triedAt) throw listUnavailable(failure ?? undefined);
  throw invalidSignature();
}

/** The signature is ECDSA with P-256 and SHA-256 over the body as it was sent. */
export function requireSignature(key: KeyObject, signature: string | null, body: string): void {
  const bytes = Buffer.from(signature ?? '', 'base64');
  if (!createVerify('SHA256').update(body).verify(key, bytes)) throw invalidSignature();
}

async function readList(): Promise<void> {
  triedAt = now();
  try {
    const response = await fetch(settings().SECRET_SCANNING_KEYS_URL, {
      headers: { accept: 'application/json', 'user-agent': 'svc' },
      signal: AbortSignal.timeout(TIMEOUT_MS),
    });
    let text = '';
    const decoder = new TextDecoder();
    for await (const piece of response.body ?? []) {
      text += decoder.decode(piece, { stream: true });
      if (text.length > MAX_LIST_CHARACTERS) throw new Error('the list of public keys is too long');
    }
    if (!response.ok) throw new Error(`the list of public keys responded with status ${response.status}`);
    const { public_keys: listed } = listSchema.parse(JSON.parse(text));
    keys = new Map(listed.flatMap(({ key_identifier: id, key }) => [[id, readKey(key)] as const]));
    readAt = triedAt;
  } finally {
    reading = undefined;
  }
}

function readKey(pem: string): KeyObject {
  const key = createPublicKey(pem);
  if (key.asymmetricKeyDetails?.namedCurve !== 'prime256v1')
    throw new Error('expected a key of the curve P-256');
  return key;
}

export function invalidSignature(): ApiError {
  return new ApiError(
    'invalid_signature',
    'Expected Github-Public-Key-Identifier and Github-Public-Key-Signature, the ECDSA P-256 signature of the body by a listed key.',
  );
}

function listUnavailable(cause: unknown): ApiError {
  return new ApiError('overloaded', 'The public keys that verify reports are unavailable. Please retry.', {
    retryAfterSeconds: RETRY_AFTER_SECONDS,
    cause,
  });
}
