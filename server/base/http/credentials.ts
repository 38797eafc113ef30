import type { IncomingHttpHeaders } from 'node:http';
import { ApiError } from '../errors';
import { findUserKeyHashes, PUBLISHABLE_KEY_PREFIX, USER_KEY_PREFIX } from '../tokens';
import type { WithHeaders } from './api-request';

/** The user key of a request, as its stored hash. */
export const requireUserKeyHash = (request: WithHeaders): Buffer => requireUserKeyHashes(request)[0];

/**
 * The same under each accepted secret, the current one first. Read from `Authorization: Bearer`, `x-api-key`
 * or `X-User-Key`. The first value with the user key prefix wins, because some clients send two.
 */
export function requireUserKeyHashes(request: WithHeaders): [Buffer, ...Buffer[]] {
  const given = readGivenKeys(request);
  if (given.length === 0) throw hasOtherScheme(request) ? notBearer() : missingApiKey();
  const key = given.find((value) => value.startsWith(USER_KEY_PREFIX));
  const [current, ...previous] = key === undefined ? [] : findUserKeyHashes(key);
  if (current === undefined) throw key === undefined ? describeWrongKey(given) : invalidUserKey();
  return [current, ...previous];
}

/** Whether the request carries a key, valid or not. */
export const hasKey = (request: WithHeaders): boolean =>
  readGivenKeys(request).length > 0 || hasOtherScheme(request);

/** A bare key, or one sent as the name or password of `Basic`. */
const hasOtherScheme = ({ headers }: WithHeaders): boolean => {
  const authorization = headers.get('authorization')?.trim() ?? '';
  return authorization !== '' && !/^bearer(?:\s|$)/i.test(authorization);
};

const notBearer = (): ApiError =>
  new ApiError(
    'invalid_user_key',
    `Authorization: expected the scheme Bearer. Send "Authorization: Bearer ${USER_KEY_PREFIX}…".`,
  );

/** Whether a request has a value with the prefix of a user key. No page of ours sends one to a page. */
export const carriesUserKey = (headers: IncomingHttpHeaders): boolean =>
  [headers.authorization, headers['x-api-key'], headers['x-user-key']].some(
    (value) => typeof value === 'string' && value.includes(USER_KEY_PREFIX),
  );

function readGivenKeys(request: WithHeaders): string[] {
  return [readBearer(request), request.headers.get('x-api-key'), request.headers.get('x-user-key')]
    .map((value) => value?.trim())
    .filter((value): value is string => value !== undefined && value !== '');
}

export function missingApiKey(): ApiError {
  return new ApiError(
    'missing_api_key',
    'No user key provided. Send it as "Authorization: Bearer svc_sk_…".',
  );
}

export function invalidUserKey(): ApiError {
  return new ApiError('invalid_user_key', 'This user key is invalid or has been revoked.');
}

const RESTRICTED_TO = {
  app_networks:
    'This app’s user keys only work from networks that the app chose, and this request comes from another.',
  key_networks:
    'This user key only works from networks that its owner chose, and this request comes from another.',
  key_origins:
    'This user key only works on websites that its owner chose, and this request does not come from one.',
} as const;

export type KeyRestriction = keyof typeof RESTRICTED_TO;

/** Names the kind of restriction, never its networks or websites: the caller may have found the key. */
export function keyRestricted(to: KeyRestriction): ApiError {
  return new ApiError('key_restricted', RESTRICTED_TO[to]);
}

/** Recognises common mix-ups by prefix. The value itself is never returned. */
function describeWrongKey(given: string[]): ApiError {
  const isPublishable = given.some((value) => value.startsWith(PUBLISHABLE_KEY_PREFIX));
  return new ApiError(
    'invalid_user_key',
    isPublishable
      ? `Publishable keys (${PUBLISHABLE_KEY_PREFIX}…) cannot pay for requests. Send a user key (${USER_KEY_PREFIX}…).`
      : `This is not a user key. User keys start with ${USER_KEY_PREFIX}.`,
  );
}

export function readBearer(request: WithHeaders): string | null {
  return /^bearer\s+(\S.*)$/i.exec(request.headers.get('authorization') ?? '')?.[1] ?? null;
}
