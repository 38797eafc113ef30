import { createHash, createHmac, randomFillSync, timingSafeEqual } from 'node:crypto';
import { now } from './clock';

const BASE62 = '0123456789ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz';
/** 22 base62 characters carry 131 random bits. */
const ID_CHARACTERS = 22;
/** Milliseconds since 1970, until the year 2081. The 15 characters after them carry 89 random bits. */
const TIME_CHARACTERS = 7;

export type IdPrefix =
  | 'au' // app user
  | 'ch' // login challenge
  | 'ckv' // checkout visit: one opened checkout window
  | 'cks' // checkout session: one payment
  | 'cor' // batch of corrections
  | 'cns' // consent to automatic charges
  | 'ech' // change of an e-mail address
  | 'evt' // webhook event
  | 'file' // uploaded file
  | 'idn' // linked identity
  | 'key' // user key
  | 'inv' // invitation to a team
  | 'po' // payout
  | 'prm' // promotion
  | 'prt' // partner
  | 'psk' // passkey
  | 'req' // request
  | 'ses' // device session
  | 'tm' // team
  | 'txn' // ledger transaction
  | 'usr'; // account, never leaves the service

const TIMED: ReadonlySet<IdPrefix> = new Set(['req', 'txn', 'file']);

// Random bytes are drawn in blocks, so that one system call serves many ids.
const pool = Buffer.allocUnsafe(4096);
let used = pool.length;

function randomByte(): number {
  if (used === pool.length) {
    randomFillSync(pool);
    used = 0;
  }
  return pool[used++] as number;
}

/** Uniform base62 text: bytes beyond the last full multiple of 62 are discarded. */
export function randomBase62(characters: number): string {
  let text = '';
  while (text.length < characters) {
    const byte = randomByte();
    if (byte < 248) text += BASE62[byte % 62];
  }
  return text;
}

export function toBase62(value: number, characters: number): string {
  let text = '';
  for (let rest = value; text.length < characters; rest = Math.floor(rest / 62)) {
    text = BASE62[rest % 62] + text;
  }
  return text;
}

/** Whether a text that came as an id can be one. Others are unknown: they cannot be stored, or mean a path. */
export const hasIdForm = (text: string): boolean => /^\w+$/.test(text);

/** The same id for the same text, as unique as a random one. */
export function idFrom(prefix: IdPrefix, text: string): string {
  let rest = BigInt(`0x${sha256(text).toString('hex')}`);
  let id = '';
  for (; id.length < ID_CHARACTERS; rest /= 62n) id += BASE62[Number(rest % 62n)];
  return `${prefix}_${id}`;
}

/**
 * Random, except for the time at the start of those under which every request writes a row: their index grows at its
 * end, where random ids would change another page for each row. Files are listed in the order of their ids.
 */
export function newId(prefix: IdPrefix): string {
  const time = TIMED.has(prefix) ? toBase62(now(), TIME_CHARACTERS) : '';
  return `${prefix}_${time}${randomBase62(ID_CHARACTERS - time.length)}`;
}

export function sha256(text: string): Buffer {
  return createHash('sha256').update(text).digest();
}

export function hmacSha256(secret: string | Buffer, text: string): Buffer {
  return createHmac('sha256', secret).update(text).digest();
}

/** Compares in constant time. */
export function sameBytes(a: Uint8Array, b: Uint8Array): boolean {
  return a.length === b.length && timingSafeEqual(a, b);
}
