import { inTransaction } from '../base/db';
import { settings } from '../base/env';
import { ApiError } from '../base/errors';
import { type Partner, requirePartner } from '../partners/partner';
import { originOfRedirect } from '../partners/redirect-rules';
import { requireRegisteredRedirect } from '../partners/redirects';
import { openAppUser } from './app-users';
import { issueSignInToken } from './sign-in-tokens';

/**
 * Sign-in by redirect, for apps without the widget, such as native apps and servers. The app sends the
 * browser to our page, and the user agrees there. The browser returns with a sign-in token that is worthless
 * without the verifier of the app.
 */

export type RedirectRequest = {
  publishableKey: string;
  redirectUri: string;
  /** base64url of the SHA-256 of the app's verifier. */
  challenge: string;
  challengeMethod: string;
  /** Of a request with the names of OAuth, which the response then has too. */
  responseType?: string | undefined;
  /** Returned unchanged, so that the app can match the response to its request. */
  state: string;
};

export type CheckedRedirect = {
  partner: Partner;
  returnTo: URL;
  /** The address of `returnTo` as the partner registered it. */
  registered: string;
  request: RedirectRequest;
};

const S256_CHALLENGE = /^[A-Za-z0-9_-]{43}$/;
const MAX_STATE_CHARACTERS = 500;

/** Throws if the request is invalid. The browser is never redirected to an unchecked URL. */
export async function checkRedirect(request: RedirectRequest): Promise<CheckedRedirect> {
  const partner = await requirePartner(
    request.publishableKey,
    isStandard(request) ? 'client_id' : 'publishable_key',
  );
  const { url, uri } = await requireRegisteredRedirect(partner.id, request.redirectUri);
  mustBe(
    request.challengeMethod === 'S256' && S256_CHALLENGE.test(request.challenge),
    'code_challenge',
    'must be the base64url SHA-256 of the verifier, with code_challenge_method=S256',
  );
  mustBe(
    !isStandard(request) || request.responseType === 'code',
    'response_type',
    'must be "code", which is the only one supported',
  );
  mustBe(
    request.state.length <= MAX_STATE_CHARACTERS,
    'state',
    `must have at most ${MAX_STATE_CHARACTERS} characters`,
  );
  return { partner, returnTo: url, registered: uri, request };
}

/** The URL to redirect to after the user agreed. */
export async function allowRedirect(
  { partner, returnTo, registered, request }: CheckedRedirect,
  { userId, sessionId }: { userId: string; sessionId: string },
): Promise<string> {
  const token = await inTransaction(async (tx) => {
    await openAppUser(tx, { userId, partnerId: partner.id });
    return issueSignInToken(tx, {
      userId,
      sessionId,
      partnerId: partner.id,
      origin: originOfRedirect(returnTo),
      redirectUri: registered,
      challenge: request.challenge,
    });
  });
  const { state } = request;
  const isCode = isStandard(request);
  return withParameters(returnTo, isCode ? { code: token, state, iss: issuer() } : { token, state });
}

/** The URL to redirect to after the user declined. */
export function denyRedirect({ returnTo, request }: CheckedRedirect): string {
  const iss = isStandard(request) ? issuer() : '';
  return withParameters(returnTo, { error: 'access_denied', state: request.state, iss });
}

const isStandard = ({ responseType }: RedirectRequest): boolean => responseType !== undefined;

/** Tells clients of several services which one responded (RFC 9207). */
const issuer = (): string => new URL(settings().BASE_URL).origin;

function withParameters(returnTo: URL, parameters: Record<string, string>): string {
  const url = new URL(returnTo);
  for (const [name, value] of Object.entries(parameters)) {
    if (value !== '') url.searchParams.set(name, value);
  }
  return url.href;
}

function mustBe(isRight: boolean, param: string, expected: string): void {
  if (!isRight) throw new ApiError('invalid_request', `${param}: ${expected}`, { param });
}
