import { createHash, generateKeyPairSync, type KeyObject, randomBytes, sign } from 'node:crypto';
import type {
  AuthenticationResponseJSON,
  PublicKeyCredentialCreationOptionsJSON,
  PublicKeyCredentialRequestOptionsJSON,
  RegistrationResponseJSON,
} from '@simplewebauthn/server';

/** A software authenticator with one ES256 passkey: what a browser and a device do together. */

const USER_PRESENT = 0x01;
const USER_VERIFIED = 0x04;
const HAS_CREDENTIAL = 0x40;

/** What a phishing page or a broken device would do differently. */
export type Deviation = {
  rpId?: string;
  isVerified?: boolean;
  counter?: number;
  userHandle?: string;
  /** A certificate in the attestation, which nobody asked for. */
  certificate?: Uint8Array;
};

export class Authenticator {
  readonly credentialId = randomBytes(16);
  private readonly keys = generateKeyPairSync('ec', { namedCurve: 'P-256' });
  private userHandle = '';

  /** `counter` as most authenticators of phones and computers keep it: always 0. */
  constructor(
    readonly origin: string,
    private counter = 0,
  ) {}

  get id(): string {
    return this.credentialId.toString('base64url');
  }

  create(options: PublicKeyCredentialCreationOptionsJSON, other: Deviation = {}): RegistrationResponseJSON {
    this.userHandle = options.user.id;
    const clientData = this.clientData('webauthn.create', options.challenge);
    const authData = this.authData(options.rp.id ?? '', HAS_CREDENTIAL, other);
    const attestation = other.certificate
      ? { fmt: 'packed', attStmt: { alg: -7, sig: Buffer.alloc(64), x5c: [other.certificate] }, authData }
      : { fmt: 'none', attStmt: {}, authData };
    return {
      ...this.envelope(),
      response: {
        clientDataJSON: clientData.toString('base64url'),
        attestationObject: encode(attestation).toString('base64url'),
        transports: ['internal'],
      },
    };
  }

  get(options: PublicKeyCredentialRequestOptionsJSON, other: Deviation = {}): AuthenticationResponseJSON {
    if (this.counter > 0) this.counter++;
    const clientData = this.clientData('webauthn.get', options.challenge);
    const authData = this.authData(options.rpId ?? '', 0, other);
    const signed = Buffer.concat([authData, sha256(clientData)]);
    return {
      ...this.envelope(),
      response: {
        clientDataJSON: clientData.toString('base64url'),
        authenticatorData: authData.toString('base64url'),
        signature: sign('sha256', signed, this.keys.privateKey).toString('base64url'),
        userHandle: other.userHandle ?? this.userHandle,
      },
    };
  }

  private envelope() {
    return { id: this.id, rawId: this.id, type: 'public-key' as const, clientExtensionResults: {} };
  }

  private clientData(type: string, challenge: string): Buffer {
    return Buffer.from(JSON.stringify({ type, challenge, origin: this.origin, crossOrigin: false }));
  }

  private authData(askedRpId: string, flags: number, other: Deviation): Buffer {
    const { rpId = askedRpId, isVerified = true, counter = this.counter } = other;
    const count = Buffer.alloc(4);
    count.writeUInt32BE(counter);
    const all = flags | USER_PRESENT | (isVerified ? USER_VERIFIED : 0);
    const head = [sha256(Buffer.from(rpId)), Buffer.from([all]), count];
    if (flags !== HAS_CREDENTIAL) return Buffer.concat(head);
    const idLength = Buffer.from([0, this.credentialId.length]);
    const key = encode(coseKey(this.keys.publicKey));
    return Buffer.concat([...head, Buffer.alloc(16), idLength, this.credentialId, key]);
  }
}

/** An ES256 key as COSE writes it: type EC2, algorithm, curve P-256, x, y. */
function coseKey(key: KeyObject): Map<number, number | Buffer> {
  const { x = '', y = '' } = key.export({ format: 'jwk' });
  const bytes = (text: string) => Buffer.from(text, 'base64url');
  return new Map<number, number | Buffer>([
    [1, 2],
    [3, -7],
    [-1, 1],
    [-2, bytes(x)],
    [-3, bytes(y)],
  ]);
}

type Cbor = number | string | Uint8Array | Cbor[] | { [key: string]: Cbor } | Map<number, number | Buffer>;

/** The part of CBOR (RFC 8949) that WebAuthn uses. */
function encode(value: Cbor): Buffer {
  if (typeof value === 'number') return value < 0 ? head(1, -1 - value) : head(0, value);
  if (typeof value === 'string')
    return Buffer.concat([head(3, Buffer.byteLength(value)), Buffer.from(value)]);
  if (value instanceof Uint8Array) return Buffer.concat([head(2, value.length), value]);
  if (Array.isArray(value)) return Buffer.concat([head(4, value.length), ...value.map(encode)]);
  const entries: [Cbor, Cbor][] = value instanceof Map ? [...value] : Object.entries(value);
  return Buffer.concat([head(5, entries.length), ...entries.flatMap((pair) => pair.map(encode))]);
}

function head(major: number, length: number): Buffer {
  if (length < 24) return Buffer.from([(major << 5) | length]);
  if (length < 256) return Buffer.from([(major << 5) | 24, length]);
  return Buffer.from([(major << 5) | 25, length >> 8, length & 255]);
}

const sha256 = (data: Buffer): Buffer => createHash('sha256').update(data).digest();
