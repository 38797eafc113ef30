import { createHmac } from 'node:crypto';

/** `v1` of `X-svc-Signature`: HMAC-SHA-256 over the time, a dot and the exact body. */
export const signatureOf = (secret: string, time: string, body: string | Uint8Array): Buffer =>
  createHmac('sha256', secret).update(`${time}.`).update(body).digest();
