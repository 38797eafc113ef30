import { createCipheriv, createDecipheriv, hkdfSync, randomBytes } from 'node:crypto';
import { authSecret, authSecrets } from './env';
import { invariant } from './errors';
import { SECRET_ID_BYTES, secretIdOf } from './keyed-hash';

/**
 * Encrypts text and bytes at rest so that only this installation can read it: AES-256-GCM, bound to the id of its row,
 * so that a copy in another row cannot be decrypted. Layout: version (1) · id of the secret (4) · nonce (12) ·
 * tag (16) · ciphertext.
 */

const VERSION = 1;
const NONCE_BYTES = 12;
const TAG_BYTES = 16;
const NONCE_AT = 1 + SECRET_ID_BYTES;
const TAG_AT = NONCE_AT + NONCE_BYTES;
const HEAD_BYTES = TAG_AT + TAG_BYTES;
const KEY_BYTES = 32;

export const seal = (text: string, boundTo: string): Uint8Array<ArrayBuffer> =>
  sealBytes(Buffer.from(text), boundTo);

export function sealBytes(bytes: Uint8Array, boundTo: string): Uint8Array<ArrayBuffer> {
  const nonce = randomBytes(NONCE_BYTES);
  const secret = authSecret();
  const cipher = createCipheriv('aes-256-gcm', sealingKey(secret), nonce).setAAD(Buffer.from(boundTo));
  const body = Buffer.concat([cipher.update(bytes), cipher.final()]);
  return new Uint8Array(Buffer.concat([sealedWith(secret), nonce, cipher.getAuthTag(), body]));
}

/** Throws when the bytes were changed or belong to another row or installation. */
export const openSealed = (sealed: Uint8Array, boundTo: string): string =>
  openSealedBytes(sealed, boundTo).toString('utf8');

export function openSealedBytes(sealed: Uint8Array, boundTo: string): Buffer {
  invariant(sealed[0] === VERSION && sealed.length >= HEAD_BYTES, 'sealed text has a known layout');
  const secret = authSecrets().find((known) => sealedWith(known).equals(sealed.subarray(0, NONCE_AT)));
  invariant(secret, 'text is sealed with AUTH_SECRET or AUTH_SECRET_PREVIOUS');
  const nonce = sealed.subarray(NONCE_AT, TAG_AT);
  const tag = sealed.subarray(TAG_AT, HEAD_BYTES);
  const decipher = createDecipheriv('aes-256-gcm', sealingKey(secret), nonce, { authTagLength: TAG_BYTES })
    .setAAD(Buffer.from(boundTo))
    .setAuthTag(tag);
  return Buffer.concat([decipher.update(sealed.subarray(HEAD_BYTES)), decipher.final()]);
}

/** The same text under the current secret. */
export const sealAgain = (sealed: Uint8Array, boundTo: string): Uint8Array<ArrayBuffer> =>
  seal(openSealed(sealed, boundTo), boundTo);

/** How everything begins that is sealed with a secret. */
export const sealedWith = (secret: string): Buffer => Buffer.concat([Buffer.of(VERSION), secretIdOf(secret)]);

const sealingKeys = new Map<string, Buffer>();

/** Deriving one takes longer than opening a short text. */
function sealingKey(secret: string): Buffer {
  const key =
    sealingKeys.get(secret) ?? Buffer.from(hkdfSync('sha256', secret, '', 'svc sealed text', KEY_BYTES));
  sealingKeys.set(secret, key);
  return key;
}
