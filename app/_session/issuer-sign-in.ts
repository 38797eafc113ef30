import type { NextApiRequest, NextApiResponse } from 'next';
import NextAuth, { type AuthOptions } from 'next-auth';
import { readCookie } from '@/server/base/cookies';
import { settings } from '@/server/base/env';
import { ApiError } from '@/server/base/errors';
import { readClientIp } from '@/server/base/http/client-ip';
import { notFound, privateJson } from '@/server/base/http/respond';
import { type Claims, readIdentity } from '@/server/people/identities';
import { listIssuers, type Provider } from '@/server/people/issuers';
import { knownBrowserCookie, readKnownBrowserCookie } from '@/server/people/known-browser';
import { requireRoomForAttempt } from '@/server/people/login-limits';
import { pendingIdentityCookie } from '@/server/people/pending-identity';
import { readSessionToken, sessionCookie } from '@/server/people/session-cookie';
import { signInWithIssuer } from '@/server/people/sign-in-with-issuer';
import { chooseLanguage } from '@/texts/languages';
import { callNextAuth, SIGN_IN_COOKIES } from './call-next-auth';
import { type IssuerFailure, readStart, withFailure } from './issuer-start';

/**
 * Sign-in with an issuer. next-auth speaks its protocol: state, nonce and PKCE are in sealed cookies of the browser that
 * began, each bound to the issuer it is for. Which account the identity opens is decided by our rules, and the browser
 * returns to the page that began, whatever the issuer sent.
 */

/** Called by a script on one of our pages. Responds with the address to go to. */
export async function startIssuerSignIn(request: Request, provider: string): Promise<Response> {
  requireOwnPage(request);
  if (findProvider(provider) === null) return notFound('chat', 'same-origin');
  const start = readStart(new URL(request.url).searchParams.get('start'));
  const { failure } = await requireRoom(request).then(() => ADMITTED, refuse);
  if (failure !== null) return privateJson({ url: withFailure(start, failure) });
  const { cookies, body } = await runNextAuth({ path: ['csrf'] });
  const begun = await runNextAuth({
    path: ['signin', provider],
    form: { csrfToken: (body as { csrfToken: string }).csrfToken, callbackUrl: start },
    sent: readSetCookies(cookies),
  });
  // A sign-in that cannot begin leads to a page of next-auth's own.
  const isBegun = begun.location !== null && new URL(begun.location).origin !== ownOrigin();
  return withCookies(
    privateJson({ url: isBegun ? begun.location : withFailure(start, 'failed') }),
    isBegun ? begun.cookies : [],
  );
}

/** Where the issuer sends the browser back to. */
export async function finishIssuerSignIn(request: Request, provider: string): Promise<Response> {
  const known = findProvider(provider);
  if (known === null) return notFound('chat', 'same-origin');
  const start = readStart(decode(readCookie(request, SIGN_IN_COOKIES.start)));
  const { failure, cookies } = await enter(request, known, start).catch(refuse);
  const location = settings().BASE_URL + (failure === null ? start : withFailure(start, failure));
  return withCookies(new Response(null, { status: 303, headers: { location } }), cookies);
}

type Entered = { failure: IssuerFailure | null; cookies: string[] };
const ADMITTED: Entered = { failure: null, cookies: [] };

async function enter(request: Request, provider: Provider, start: string): Promise<Entered> {
  await requireRoom(request);
  const { claims, cookies } = await readProof(request, provider);
  const fail = (failure: IssuerFailure): Entered => ({ failure, cookies });
  if (claims === null) return fail(isCancelled(request) ? 'cancelled' : 'failed');
  const identity = readIdentity(provider, claims);
  if (identity === null) return fail('refused');
  const outcome = await signInWithIssuer({
    identity,
    userAgent: request.headers.get('user-agent') ?? '',
    clientIp: readClientIp(request),
    browserCookie: readKnownBrowserCookie(request),
    currentToken: readSessionToken(request),
    language: chooseLanguage(
      new URL(start, ownOrigin()).searchParams.get('locale'),
      request.headers.get('accept-language'),
    ),
  });
  if (outcome.kind === 'unverified') return fail('unverified');
  if (outcome.kind === 'code_sent')
    return { failure: null, cookies: [...cookies, pendingIdentityCookie(outcome.cookie)] };
  const kept = [
    sessionCookie(outcome.token),
    knownBrowserCookie(outcome.browserCookie, { framed: false }),
    pendingIdentityCookie(''),
  ];
  return { failure: null, cookies: [...cookies, ...kept] };
}

const isCancelled = (request: Request): boolean =>
  new URL(request.url).searchParams.get('error') === 'access_denied';

/** The browser navigates here, so the page that began shows a refusal. */
function refuse(error: unknown): Entered {
  if (!(error instanceof ApiError)) throw error;
  return { failure: error.code === 'rate_limited' ? 'limited' : 'moved', cookies: [] };
}

/** The claims, if the response of the issuer is the one that this browser waits for. */
async function readProof(request: Request, provider: Provider) {
  const found: { claims: Claims | null } = { claims: null };
  const { cookies } = await runNextAuth({
    path: ['callback', provider],
    query: Object.fromEntries(new URL(request.url).searchParams),
    sent: readSent(request),
    onProven(claims) {
      found.claims = claims;
    },
  });
  return { ...found, cookies: cookies.filter(isOfSignIn) };
}

type Call = {
  path: string[];
  query?: Record<string, string>;
  /** Absent in a GET request. */
  form?: Record<string, string>;
  /** The cookies of the browser. */
  sent?: Record<string, string>;
  onProven?(claims: Claims): void;
};

/** Calls next-auth as a Node server does. What it would send is returned, and the session it would open never is. */
async function runNextAuth({ path, query, form, sent = {}, onProven = () => {} }: Call) {
  const reply = { location: null as string | null, cookies: [] as string[], body: null as unknown };
  const response = {
    status: () => response,
    getHeader: () => reply.cookies,
    setHeader(name: string, value: string | string[]) {
      if (name === 'Set-Cookie') reply.cookies = [value].flat();
      if (name === 'Location') reply.location = String(value);
      return response;
    },
    send: (body: unknown) => {
      reply.body = body;
    },
    end: () => {},
  };
  const method = form === undefined ? 'GET' : 'POST';
  const asked = { method, query: { ...query, nextauth: path }, body: form, cookies: sent, headers: {} };
  await callNextAuth((options) =>
    NextAuth(
      asked as unknown as NextApiRequest,
      response as unknown as NextApiResponse,
      withProof(options, onProven),
    ),
  );
  return reply;
}

const withProof = (options: AuthOptions, onProven: (claims: Claims) => void): AuthOptions => ({
  ...options,
  callbacks: {
    ...options.callbacks,
    signIn({ profile }) {
      onProven((profile ?? {}) as Claims);
      return '/';
    },
  },
});

const findProvider = (wanted: string): Provider | null =>
  listIssuers().find(({ provider }) => provider === wanted)?.provider ?? null;

const ownOrigin = (): string => new URL(settings().BASE_URL).origin;

/** Each attempt asks the issuer, so they are counted as codes are. */
const requireRoom = (request: Request): Promise<void> =>
  requireRoomForAttempt({ partnerId: null, clientIp: readClientIp(request), knownBrowser: null });

function requireOwnPage({ headers }: Request): void {
  const site = headers.get('sec-fetch-site');
  const isOurs = headers.get('origin') === ownOrigin() && (site === null || site === 'same-origin');
  if (!isOurs) throw new ApiError('origin_not_allowed', `This only works on pages of ${settings().BASE_URL}`);
}

/** Those of a sign-in in progress, decoded as next-auth expects them. */
const readSent = (request: Request): Record<string, string> =>
  Object.fromEntries(
    Object.values(SIGN_IN_COOKIES).map((name) => [name, decode(readCookie(request, name)) ?? '']),
  );

const readSetCookies = (cookies: string[]): Record<string, string> =>
  Object.fromEntries(
    cookies.map((cookie) => {
      const [name = '', value = ''] = cookie.split(';', 1)[0]?.split(/=(.*)/s) ?? [];
      return [name, decode(value) ?? ''];
    }),
  );

function decode(value: string | null): string | null {
  try {
    return value === null ? null : decodeURIComponent(value);
  } catch {
    return null;
  }
}

/** next-auth also sets one for forms of its own. */
const isOfSignIn = (cookie: string): boolean =>
  Object.values(SIGN_IN_COOKIES).some((name) => cookie.startsWith(`${name}=`));

function withCookies(response: Response, cookies: string[]): Response {
  for (const cookie of cookies) response.headers.append('set-cookie', cookie);
  return response;
}
