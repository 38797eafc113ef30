/** Checks the signature of a receipt in the browser, with the published keys and WebCrypto. */

export type Verification =
  /** Signed by the service, and what the page shows. */
  | 'verified'
  | 'failed'
  /** The browser has no Ed25519. */
  | 'unsupported';

/** What the page shows. */
export type ShownReceipt = { requestId: string; charge: string };

type PublishedKey = { kid: string; x: string; retired_at: string | null };

export async function verifyReceipt(
  signed: string,
  keys: readonly PublishedKey[],
  shown: ShownReceipt,
): Promise<Verification> {
  const [header = '', payload = '', signature = ''] = signed.split('.');
  const { alg, kid, typ } = readJson(header);
  const published = keys.find((key) => key.kid === kid);
  if (alg !== 'EdDSA' || typ !== 'svc-receipt' || published === undefined) return 'failed';
  const key = await importKey(published.x);
  if (typeof key === 'string') return key;
  const input = new TextEncoder().encode(`${header}.${payload}`);
  const isSigned = await crypto.subtle.verify('Ed25519', key, readBytes(signature), input);
  const { request_id: requestId, charged } = readJson(payload);
  return isSigned && requestId === shown.requestId && String(charged) === shown.charge
    ? 'verified'
    : 'failed';
}

async function importKey(x: string): Promise<CryptoKey | Verification> {
  try {
    const jwk = { kty: 'OKP', crv: 'Ed25519', x };
    return await crypto.subtle.importKey('jwk', jwk, 'Ed25519', false, ['verify']);
  } catch (error) {
    return error instanceof DOMException && error.name === 'DataError' ? 'failed' : 'unsupported';
  }
}

function readJson(part: string): Record<string, unknown> {
  try {
    return JSON.parse(new TextDecoder().decode(readBytes(part)));
  } catch {
    return {};
  }
}

/** Nothing if it is not base64url, so that no signature matches. */
function readBytes(text: string): Uint8Array<ArrayBuffer> {
  try {
    const binary = atob(text.replaceAll('-', '+').replaceAll('_', '/'));
    return Uint8Array.from(binary, (character) => character.charCodeAt(0));
  } catch {
    return new Uint8Array();
  }
}
