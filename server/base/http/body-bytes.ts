import type { ServerResponse } from 'node:http';
import { getHeapStatistics } from 'node:v8';
import ipaddr from 'ipaddr.js';
import { ApiError, overloaded } from '../errors';
import { limitNameOf } from '../rate-limit/key-turns';
import { type ApiRequest, connectionOf } from './api-request';
import { readClientIp } from './client-ip';

/**
 * Bounds the memory of request bodies: in this process, of one client IP and of one user key. A body counts
 * from its first byte until its request has ended, because the parsed request is kept for retries.
 */

/** A body is text, then an object, then the text for the provider, with up to two bytes per character. */
const SHARE_OF_HEAP = 1 / 8;
const SHARE_OF_IP = 1 / 2;
const SHARE_OF_KEY = 1 / 4;
/** One body of the maximum size always fits. */
const LEAST_BYTES = 32 * 1024 * 1024;

type ByteLimits = { process: number; ip: number; key: number };

function limitsOf(heapBytes: number): ByteLimits {
  const bytes = Math.floor(heapBytes * SHARE_OF_HEAP);
  return {
    process: Math.max(2 * LEAST_BYTES, bytes),
    ip: Math.max(LEAST_BYTES, Math.floor(bytes * SHARE_OF_IP)),
    key: Math.max(LEAST_BYTES, Math.floor(bytes * SHARE_OF_KEY)),
  };
}

let limits = limitsOf(getHeapStatistics().heap_size_limit);

/** Tests only: sets other limits. Call without an argument to return to those of the process. */
export function setByteLimits(given?: ByteLimits): void {
  limits = given ?? limitsOf(getHeapStatistics().heap_size_limit);
}

let inProcess = 0;
const ofIp = new Map<string, number>();
const ofKey = new Map<string, number>();

export const bodyBytes = (): number => inProcess;

/** The bytes of one body, counted for its client IP and its user key. An unknown IP, '', counts; an unknown key does not. */
export class BodyBytes {
  readonly #ip: string;
  readonly #key: string;
  #bytes = 0;

  constructor(clientIp: string, key: string) {
    this.#ip = toNetwork(clientIp);
    this.#key = key;
  }

  /** Throws when a limit is reached. The bytes that were added before still count. */
  add(bytes: number): void {
    const ip = (ofIp.get(this.#ip) ?? 0) + bytes;
    const key = (ofKey.get(this.#key) ?? 0) + bytes;
    if (this.#key !== '' && key > limits.key) throw tooMuch('with this key');
    if (ip > limits.ip) throw tooMuch('from this IP address');
    if (inProcess + bytes > limits.process) throw overloaded();
    ofIp.set(this.#ip, ip);
    ofKey.set(this.#key, key);
    inProcess += bytes;
    this.#bytes += bytes;
  }

  release(): void {
    subtract(ofIp, this.#ip, this.#bytes);
    subtract(ofKey, this.#key, this.#bytes);
    inProcess -= this.#bytes;
    this.#bytes = 0;
  }
}

let inAnswers = 0;
/** A response of this size always fits: the process has at most some thousand of them. */
const SMALL_ANSWER_BYTES = 64 * 1024;

/** The bytes of one response that is held in full. All of them together have as much memory as all bodies. */
export class ResponseBytes {
  #bytes = 0;
  #counted = 0;

  /** Returns false if the process has no memory left. */
  add(bytes: number): boolean {
    this.#bytes += bytes;
    if (this.#bytes <= SMALL_ANSWER_BYTES) return true;
    if (inAnswers + this.#bytes - this.#counted > limits.process) return false;
    inAnswers += this.#bytes - this.#counted;
    this.#counted = this.#bytes;
    return true;
  }

  release(): void {
    inAnswers -= this.#counted;
    this.#bytes = this.#counted = 0;
  }
}

/** Who reads what is stored. `keyHash` is of the user key. */
export type Reader = { request: ApiRequest; keyHash: Buffer };

/** Counts what is read for a request as a part of its body. Throws when a limit is reached. */
export function holdBytes({ request, keyHash }: Reader, bytes: number): void {
  const outgoing = connectionOf(request)?.outgoing;
  if (outgoing === undefined || outgoing.destroyed || bytes === 0) return;
  const held = new BodyBytes(readClientIp(request), limitNameOf(keyHash));
  held.add(bytes);
  releaseAtEnd(outgoing, held);
}

const goingOn = new WeakMap<ServerResponse, Promise<void>>();

/** Counts the body of a request until then, also if its client disconnects first. */
export function holdBodyUntil(request: ApiRequest, ended: Promise<void>): void {
  const outgoing = connectionOf(request)?.outgoing;
  if (outgoing !== undefined) goingOn.set(outgoing, ended);
}

export function releaseAtEnd(outgoing: ServerResponse, held: BodyBytes): void {
  outgoing.once('close', () => {
    const ended = goingOn.get(outgoing);
    if (ended === undefined) held.release();
    else void ended.then(() => held.release());
  });
}

function subtract(counts: Map<string, number>, name: string, bytes: number): void {
  const left = (counts.get(name) ?? 0) - bytes;
  if (left > 0) counts.set(name, left);
  else counts.delete(name);
}

const tooMuch = (whose: string): ApiError =>
  new ApiError(
    'rate_limited',
    `The requests that are running ${whose} have too large bodies in total. Retry when some have ended.`,
    { retryAfterSeconds: 1 },
  );

const NETWORK_GROUPS = 4;

/** One IPv6 subscriber has 2^64 addresses. */
function toNetwork(clientIp: string): string {
  if (!clientIp.includes(':')) return clientIp;
  const address = ipaddr.parse(clientIp);
  if (address.kind() === 'ipv4') return clientIp;
  return (address as ipaddr.IPv6).parts.slice(0, NETWORK_GROUPS).join(':');
}
