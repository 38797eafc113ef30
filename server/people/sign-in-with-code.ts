import { inTransaction } from '../base/db';
import { noteSignIn } from '../base/traces';
import { openAppUser } from './app-users';
import { mintUserKey } from './keys/mint';
import { consumeChallenge, invalidCode, verifyLoginCode } from './login-codes';
import type { Metadata } from './metadata';
import { openSession } from './sessions';
import { describeSignIn, type SignedIn } from './signed-in';
import { openUser } from './users';

export type CodeSignIn = {
  partnerId: string;
  challengeId: string;
  email: string;
  code: string;
  origin: string | null;
  userAgent: string;
  /** '' when unknown. */
  clientIp: string;
  metadata?: Metadata | undefined;
};

/** E-mail login through the API. A correct code creates an account, a device and a key in one transaction. */
export async function signInWithCode(request: CodeSignIn): Promise<SignedIn> {
  const { partnerId, challengeId, metadata, userAgent, origin } = request;
  const { email } = await verifyLoginCode({ ...request, visitId: null });
  const { userId, key } = await inTransaction(async (tx) => {
    if (!(await consumeChallenge(tx, challengeId))) throw invalidCode();
    const { id: userId } = await openUser(tx, email);
    // Without an origin, the client may be the app's server, which all of its users share.
    const clientIp = origin === null ? '' : request.clientIp;
    await noteSignIn(tx, { userId, clientIp, browserIds: [] });
    const session = await openSession(tx, { userId, userAgent });
    await openAppUser(tx, { userId, partnerId, metadata });
    return { userId, key: await mintUserKey(tx, { userId, partnerId, session }) };
  });
  return describeSignIn(key, userId, partnerId);
}
