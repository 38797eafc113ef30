import { authSecrets } from './env';
import { hmacSha256, sameBytes } from './ids';

/**
 * Hashes and signatures under the installation's secret, each for one purpose. They are written with AUTH_SECRET
 * and read with AUTH_SECRET_PREVIOUS too, so that the secret can be replaced while the service runs.
 */

type Hashes = [current: Buffer, ...previous: Buffer[]];

export const SECRET_ID_BYTES = 4;

const keyOf = (purpose: string, secret: string): string => `${purpose}:${secret}`;

export const keyedHash = (purpose: string, text: string): Buffer =>
  hmacSha256(keyOf(purpose, authSecrets()[0]), text);

/** Under each accepted secret; the first is the one to write. */
export const keyedHashes = (purpose: string, text: string): Hashes =>
  underEach((secret) => hmacSha256(keyOf(purpose, secret), text));

/** Whether the bytes are such a hash, or the first `length` bytes of one. Compares in constant time. */
export function isKeyedHash(bytes: Uint8Array, purpose: string, text: string, length = 32): boolean {
  return keyedHashes(purpose, text).some((hash) => sameBytes(bytes, hash.subarray(0, length)));
}

const fingerprints = new Map<string, Buffer>();

/** Identifies a secret without revealing it. */
export function fingerprintOf(secret: string): Buffer {
  let fingerprint = fingerprints.get(secret);
  if (fingerprint === undefined) {
    fingerprint = hmacSha256(keyOf('fingerprint', secret), 'svc').subarray(0, 16);
    fingerprints.set(secret, fingerprint);
  }
  return fingerprint;
}

/** The first bytes of what is stored under a secret. */
export const secretIdOf = (secret: string): Buffer => fingerprintOf(secret).subarray(0, SECRET_ID_BYTES);

/** As `keyedHashes`, each after the id of its secret, so that those of an earlier secret can be found. */
export const storedHashes = (purpose: string, text: string): Hashes =>
  underEach((secret) => Buffer.concat([secretIdOf(secret), hmacSha256(keyOf(purpose, secret), text)]));

function underEach(hash: (secret: string) => Buffer): Hashes {
  const [current, ...previous] = authSecrets();
  return [hash(current), ...previous.map(hash)];
}
