import {
  generateRegistrationOptions,
  type PublicKeyCredentialCreationOptionsJSON,
  type RegistrationResponseJSON,
  verifyRegistrationResponse,
} from '@simplewebauthn/server';
import { decodeAttestationObject } from '@simplewebauthn/server/helpers';
import { nowDate } from '../base/clock';
import { inTransaction, prisma } from '../base/db';
import { ApiError } from '../base/errors';
import { newId } from '../base/ids';
import { keyedHash } from '../base/keyed-hash';
import {
  type ChallengePurpose,
  consumePasskeyChallenge,
  newPasskeyChallenge,
  relyingParty,
  requireOwnChallenge,
} from './passkey-challenges';
import { sendPasskeyMail } from './passkey-mail';
import { lockUser } from './passkeys';
import { type LiveSession, lockLiveSession } from './sessions';

/** Adds a passkey to the account of a signed-in user who has recently confirmed their identity. */

const MAX_PASSKEYS = 10;
/** EdDSA, ES256 and RS256: what authenticators offer. */
const ALGORITHMS = [-8, -7, -257];

/** What the browser needs to create a passkey. */
export async function beginPasskey(session: LiveSession): Promise<PublicKeyCredentialCreationOptionsJSON> {
  const existing = await prisma().passkey.findMany({ where: { userId: session.userId } });
  if (existing.length >= MAX_PASSKEYS) throw tooMany();
  const { id, name } = relyingParty();
  return generateRegistrationOptions({
    rpID: id,
    rpName: name,
    userID: new Uint8Array(Buffer.from(handleOf(session.userId), 'base64url')),
    userName: session.email,
    userDisplayName: session.email,
    challenge: newPasskeyChallenge(purposeOf(session)),
    attestationType: 'none',
    // Discoverable, so that signing in starts without an e-mail address; verified, so that a stolen device
    // is not enough.
    authenticatorSelection: { residentKey: 'required', userVerification: 'required' },
    supportedAlgorithmIDs: ALGORITHMS,
    excludeCredentials: existing.map(({ credentialId, transports }) => ({ id: credentialId, transports })),
  });
}

export async function addPasskey(
  session: LiveSession,
  { name, response }: { name: string; response: RegistrationResponseJSON },
): Promise<void> {
  const { userId, email } = session;
  const { challenge, credential } = await verifyNewPasskey(session, response);
  await inTransaction(async (tx) => {
    if ((await lockUser(tx, userId)) === null) throw unverifiable();
    // Its end in the meantime, with what it added, must not leave this passkey: see `undoEmailChange`.
    if ((await lockLiveSession(tx, session.sessionId)) === null)
      throw new ApiError('invalid_request', 'You were signed out. Please sign in again.');
    if ((await tx.passkey.count({ where: { userId } })) >= MAX_PASSKEYS) throw tooMany();
    await consumePasskeyChallenge(tx, challenge);
    const { count } = await tx.passkey.createMany({
      data: [
        {
          id: newId('psk'),
          userId,
          credentialId: credential.id,
          userHandle: handleOf(userId),
          publicKey: credential.publicKey,
          counter: credential.counter,
          transports: credential.transports ?? [],
          name,
          createdAt: nowDate(),
        },
      ],
      skipDuplicates: true,
    });
    if (count === 0) throw new ApiError('invalid_request', 'This passkey was already added.');
  });
  await sendPasskeyMail({ email, userId }, 'added');
}

async function verifyNewPasskey(session: LiveSession, response: RegistrationResponseJSON) {
  const { id, origin } = relyingParty();
  const challenge = requireOwnChallenge(purposeOf(session), response.response.clientDataJSON);
  if (hasCertificates(response)) throw unverifiable();
  const { verified, registrationInfo } = await verifyRegistrationResponse({
    response,
    expectedChallenge: challenge,
    expectedOrigin: origin,
    expectedRPID: id,
    requireUserVerification: true,
    supportedAlgorithmIDs: ALGORITHMS,
  }).catch((cause: unknown) => {
    throw unverifiable(cause);
  });
  if (!verified) throw unverifiable();
  return { challenge, credential: registrationInfo.credential };
}

/**
 * We ask for no attestation. An authenticator that sends certificates all the same is refused, because
 * checking them would fetch the addresses that they name.
 */
function hasCertificates({ response }: RegistrationResponseJSON): boolean {
  try {
    const attestation = decodeAttestationObject(
      new Uint8Array(Buffer.from(response.attestationObject, 'base64url')),
    );
    const isPlain = ['none', 'packed'].includes(attestation.get('fmt'));
    return !isPlain || attestation.get('attStmt').get('x5c') !== undefined;
  } catch (cause) {
    throw unverifiable(cause);
  }
}

const purposeOf = ({ sessionId }: LiveSession): ChallengePurpose => ({ act: 'add', sessionId });

/** Identifies the account to the authenticator, and to no one else. */
const handleOf = (userId: string): string => keyedHash('passkey-user', userId).toString('base64url');

const tooMany = (): ApiError =>
  new ApiError('invalid_request', `You have ${MAX_PASSKEYS} passkeys. Remove one before you add another.`);

const unverifiable = (cause?: unknown): ApiError =>
  new ApiError('invalid_request', 'The new passkey could not be verified. Please try again.', { cause });
