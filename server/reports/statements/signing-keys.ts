import {
  createHash,
  createPrivateKey,
  createPublicKey,
  generateKeyPairSync,
  type KeyObject,
  sign,
} from 'node:crypto';
import { nowDate } from '../../base/clock';
import { inTransaction, prisma } from '../../base/db';
import { invariant } from '../../base/errors';
import { openSealed, seal } from '../../base/seal';
import { canonicalJson, type Json } from './canonical-json';

/**
 * The keys that sign receipts and daily statements (Ed25519). One of them is current. A retired key signs nothing any
 * more, because its private half is erased; its public half is published indefinitely.
 */

/** What a signature is for: the `typ` of its header, so that one cannot pass for another. */
export type SignedType = 'svc-receipt' | 'svc-price' | 'svc-statement';

export type Signer = {
  /** A compact JWS. Ed25519 is deterministic: the same key and value give the same text. */
  sign(typ: SignedType, value: Json): string;
};

export type PublicKey = { id: string; x: string; createdAt: Date; retiredAt: Date | null };

/** Signs with the current key, which the first call generates. */
export async function openSigner(): Promise<Signer> {
  const current = (await findCurrent()) ?? (await createFirst());
  const key = openPrivateKey(current);
  return { sign: (typ, value) => signCompact(key, { alg: 'EdDSA', kid: current.id, typ }, value) };
}

/** Retires the current key and generates the next one. Works even if the current one can no longer be decrypted. */
export function rotateSigningKey(): Promise<PublicKey> {
  return inTransaction(async (tx) => {
    await tx.signingKey.updateMany({
      where: { retiredAt: null },
      data: { retiredAt: nowDate(), privateKey: null },
    });
    return describe(await tx.signingKey.create({ data: newKey() }));
  });
}

/** All keys, newest first. */
export async function listSigningKeys(): Promise<PublicKey[]> {
  const keys = await prisma().signingKey.findMany({ orderBy: [{ createdAt: 'desc' }, { id: 'asc' }] });
  return keys.map(describe);
}

/** What the private half is sealed to. */
export const privateKeyOf = (id: string): string => `${id} signing key`;

type Current = { id: string; sealed: Uint8Array };

async function findCurrent(): Promise<Current | null> {
  const key = await prisma().signingKey.findFirst({ where: { retiredAt: null } });
  return key?.privateKey ? { id: key.id, sealed: key.privateKey } : null;
}

/** Another instance may be first: a unique index admits one current key. */
async function createFirst(): Promise<Current> {
  await prisma().signingKey.createMany({ data: newKey(), skipDuplicates: true });
  const current = await findCurrent();
  invariant(current, 'a signing key is current');
  return current;
}

function newKey() {
  const { publicKey, privateKey } = generateKeyPairSync('ed25519');
  const x = publicOf(publicKey);
  const id = thumbprintOf(x);
  const der = privateKey.export({ format: 'der', type: 'pkcs8' }).toString('base64');
  return {
    id,
    publicKey: new Uint8Array(Buffer.from(x, 'base64url')),
    privateKey: seal(der, privateKeyOf(id)),
    createdAt: nowDate(),
  };
}

const describe = (key: {
  id: string;
  publicKey: Uint8Array;
  createdAt: Date;
  retiredAt: Date | null;
}): PublicKey => ({
  id: key.id,
  x: Buffer.from(key.publicKey).toString('base64url'),
  createdAt: key.createdAt,
  retiredAt: key.retiredAt,
});

function openPrivateKey({ id, sealed }: Current): KeyObject {
  const der = Buffer.from(openSealed(sealed, privateKeyOf(id)), 'base64');
  const key = createPrivateKey({ key: der, format: 'der', type: 'pkcs8' });
  invariant(
    thumbprintOf(publicOf(createPublicKey(key))) === id,
    'a signing key is the one that it is named after',
  );
  return key;
}

function signCompact(key: KeyObject, header: Json, payload: Json): string {
  const input = [header, payload]
    .map((part) => Buffer.from(canonicalJson(part)).toString('base64url'))
    .join('.');
  return `${input}.${sign(null, Buffer.from(input), key).toString('base64url')}`;
}

/** The JWK thumbprint of RFC 7638. */
const thumbprintOf = (x: string): string =>
  createHash('sha256')
    .update(canonicalJson({ crv: 'Ed25519', kty: 'OKP', x }))
    .digest('base64url');

const publicOf = (key: KeyObject): string => key.export({ format: 'jwk' }).x ?? '';
