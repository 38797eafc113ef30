import { inTransaction } from '../db';
import { ApiError } from '../errors';
import { requireAllowedOrigin } from '../partners/origins';
import { type Partner, requirePartner } from '../partners/partner';
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
  /** Returned unchanged, so that the app can match the response to its request. */
  state: string;
};

export type CheckedRedirect = { partner: Partner; returnTo: URL; origin: string; request: RedirectRequest };

const S256_CHALLENGE = /^[A-Za-z0-9_-]{43}$/;
const MAX_STATE_CHARACTERS = 500;

/** Throws if the request is invalid. The browser is never redirected to an unchecked URL. */
export async function checkRedirect(request: RedirectRequest): Promise<CheckedRedirect> {
  const partner = await requirePartner(request.publishableKey);
  const returnTo = readRedirectUri(request.redirectUri);
  const origin = originOf(returnTo);
  await requireAllowedOrigin(partner.id, origin);
  mustBe(
    request.challengeMethod === 'S256' && S256_CHALLENGE.test(request.challenge),
    'code_challenge',
    'must be the base64url SHA-256 of the verifier, with code_challenge_method=S256',
  );
  mustBe(
    request.state.length <= MAX_STATE_CHARACTERS,
    'state',
    `must have at most ${MAX_STATE_CHARACTERS} characters`,
  );
  return { partner, returnTo, origin: tokenOrigin(returnTo, origin), request };
}

/** The URL to redirect to after the user agreed. */
export async function allowRedirect(
  { partner, returnTo, origin, request }: CheckedRedirect,
  { userId, sessionId }: { userId: string; sessionId: string },
): Promise<string> {
  const token = await inTransaction(async (tx) => {
    await openAppUser(tx, { userId, partnerId: partner.id });
    const { challenge } = request;
    return issueSignInToken(tx, { userId, sessionId, partnerId: partner.id, origin, challenge });
  });
  return withParameters(returnTo, { token, state: request.state });
}

/** The URL to redirect to after the user declined. */
export function denyRedirect({ returnTo, request }: CheckedRedirect): string {
  return withParameters(returnTo, { error: 'access_denied', state: request.state });
}

const MAX_URI_CHARACTERS = 2_000;

function readRedirectUri(text: string): URL {
  const isAddress = text.length <= MAX_URI_CHARACTERS && /^[\x21-\x7e]+$/.test(text) && URL.canParse(text);
  const url = isAddress ? new URL(text) : null;
  const isPlain = url !== null && !text.includes('#') && url.username === '' && url.password === '';
  if (!isPlain || !text.includes('://')) {
    throw new ApiError(
      'invalid_request',
      'redirect_uri: must be an absolute URL without credentials or fragment',
      {
        param: 'redirect_uri',
      },
    );
  }
  return url;
}

/** The origin as a browser writes it. `URL` reports none for custom schemes. */
function originOf(url: URL): string {
  return isWeb(url) ? url.origin : `${url.protocol}//${url.host}`;
}

/** All pages of a custom scheme belong to the same app; a web page has one origin. */
function tokenOrigin(url: URL, origin: string): string {
  return isWeb(url) ? origin : `${url.protocol}//*`;
}

const isWeb = ({ protocol }: URL): boolean => protocol === 'http:' || protocol === 'https:';

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
