import { hmacSha256 } from '../../base/ids';

/** `X-svc-Signature`: when it was signed, and the HMAC-SHA-256 over that time, a dot and the exact body. */
export function signatureHeader(secret: string, body: string, unixSeconds: number): string {
  return `t=${unixSeconds},v1=${hmacSha256(secret, `${unixSeconds}.${body}`).toString('hex')}`;
}
