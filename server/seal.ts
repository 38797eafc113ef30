import { createCipheriv, createDecipheriv, hkdfSync, randomBytes } from 'node:crypto';
import { authSecret } from './env';
import { invariant } from './errors';

/**
 * Encrypts text at rest so that only this installation can read it: AES-256-GCM, bound to the id of its row,
 * so that a copy in another row cannot be decrypted. Layout: version (1) · nonce (12) · tag (16) ·
 * ciphertext.
 */

const VERSION = 1;
const NONCE_BYTES = 12;
const TAG_BYTES = 16;
const HEAD_BYTES = 1 + NONCE_BYTES + TAG_BYTES;
const KEY_BYTES = 32;

export function seal(text: string, boundTo: string): Uint8Array<ArrayBuffer> {
  const nonce = randomBytes(NONCE_BYTES);
  const cipher = createCipheriv('aes-256-gcm', sealingKey(), nonce).setAAD(Buffer.from(boundTo));
  const body = Buffer.concat([cipher.update(text, 'utf8'), cipher.final()]);
  return new Uint8Array(Buffer.concat([Buffer.of(VERSION), nonce, cipher.getAuthTag(), body]));
}

/** Throws when the bytes were changed or belong to another row or installation. */
export function openSealed(sealed: Uint8Array, boundTo: string): string {
  invariant(sealed[0] === VERSION && sealed.length >= HEAD_BYTES, 'sealed text has a known layout');
  const nonce = sealed.subarray(1, 1 + NONCE_BYTES);
  const tag = sealed.subarray(1 + NONCE_BYTES, HEAD_BYTES);
  const decipher = createDecipheriv('aes-256-gcm', sealingKey(), nonce, { authTagLength: TAG_BYTES })
    .setAAD(Buffer.from(boundTo))
    .setAuthTag(tag);
  return Buffer.concat([decipher.update(sealed.subarray(HEAD_BYTES)), decipher.final()]).toString('utf8');
}

function sealingKey(): Buffer {
  return Buffer.from(hkdfSync('sha256', authSecret(), '', 'svc sealed text', KEY_BYTES));
}
