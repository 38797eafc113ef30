import { createHash, createPublicKey, type KeyObject, verify } from 'node:crypto';
import { type Fields, isObject, objects } from './fields';
import { Difference } from './report';

/** Signatures (JWS) and hashes (RFC 6962). */

/** A day may be closed with a key while it is being retired. */
const RETIREMENT_SECONDS = 600;

export type Trusted = { service: string; keys: Map<string, Key> };
type Key = { key: KeyObject; from: number; until: number };
export type Statement = Fields & {
  signed: string;
  day: string;
  sub: string;
  opening: number;
  closing: number;
};

export function readKeys(body: Fields): Map<string, Key> {
  const keys = objects(body.keys).map(({ kid, kty, crv, x, created_at, retired_at }): [string, Key] => [
    String(kid),
    {
      key: createPublicKey({ key: { kty, crv, x } as Record<string, string>, format: 'jwk' }),
      from: Date.parse(String(created_at)) / 1000,
      until: retired_at === null ? Number.POSITIVE_INFINITY : Date.parse(String(retired_at)) / 1000,
    },
  ]);
  return new Map(keys);
}

export function readStatement(signed: unknown, trusted: Trusted): Statement {
  const payload = openSigned(signed, 'svc-statement', trusted);
  if (payload.iss !== trusted.service)
    throw new Difference(
      `the statement of ${payload.day} was made by ${payload.iss}, not by ${trusted.service}`,
    );
  return { ...payload, signed: String(signed) } as Statement;
}

/** The payload of a JWS, if a published key signed it. */
export function openSigned(signed: unknown, typ: string, { service, keys }: Trusted): Fields {
  const parts = String(signed).split('.');
  const [header, payload] = parts
    .slice(0, 2)
    .map((part) => JSON.parse(bytes(part).toString('utf8')) as Fields);
  const name = typ.replace('svc-', '');
  if (parts.length !== 3 || header?.alg !== 'EdDSA' || header.typ !== typ || !isObject(payload))
    throw new Difference(`the ${name} is not signed as one`);
  const known = keys.get(String(header.kid));
  if (known === undefined)
    throw new Difference(`the ${name} is signed with a key that ${service} does not publish (${header.kid})`);
  if (!verify(null, Buffer.from(`${parts[0]}.${parts[1]}`), known.key, bytes(parts[2] ?? '')))
    throw new Difference(`the signature of the ${name} is wrong: it was changed after it was signed`);
  const at = Number(payload.iat);
  if (at < known.from - RETIREMENT_SECONDS || at > known.until + RETIREMENT_SECONDS)
    throw new Difference(`the ${name} is signed with a key that was not in use at that time`);
  return payload;
}

/** RFC 8785, for values without fractions. */
export function canonical(value: unknown): string {
  if (Array.isArray(value)) return `[${value.map(canonical).join(',')}]`;
  if (!isObject(value)) return JSON.stringify(value);
  const names = Object.keys(value).sort();
  return `{${names.map((name) => `${JSON.stringify(name)}:${canonical(value[name])}`).join(',')}}`;
}

/** RFC 6962. */
export const leafOf = (entry: string): string => hash([0], Buffer.from(entry)).toString('base64url');

export function rootOf(leaves: Buffer[]): Buffer {
  const [first, ...others] = leaves;
  if (first === undefined) throw new Difference('a statement without entries');
  if (others.length === 0) return first;
  const left = leftSize(leaves.length);
  return hash([1], rootOf(leaves.slice(0, left)), rootOf(leaves.slice(left)));
}

/** The root above a leaf. Takes what it uses off the path, from its end. */
export function climb(leaf: Buffer, index: number, size: number, path: Buffer[]): Buffer {
  const sibling = size > 1 ? path.pop() : undefined;
  if (sibling === undefined) return leaf;
  const left = leftSize(size);
  return index < left
    ? hash([1], climb(leaf, index, left, path), sibling)
    : hash([1], sibling, climb(leaf, index - left, size - left, path));
}

export const leftSize = (size: number): number => 2 ** Math.ceil(Math.log2(size) - 1);

export const hash = (prefix: number[], ...parts: Buffer[]): Buffer =>
  createHash('sha256')
    .update(Buffer.concat([Buffer.from(prefix), ...parts]))
    .digest();

export const bytes = (text: string): Buffer => Buffer.from(text, 'base64url');
