import { createHash } from 'node:crypto';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { POST as exchange, OPTIONS as preflightExchange } from '@/app/auth/token/route.api';
import { POST as sendCode } from '@/app/v1/auth/send-code/route.api';
import { OPTIONS as preflightVerify, POST as verifyCode } from '@/app/v1/auth/verify-code/route.api';
import { MINUTE_MS, now, SECOND_MS, setClock } from '@/server/base/clock';
import { inTransaction, prisma } from '@/server/base/db';
import { settings } from '@/server/base/env';
import { newPublishableKey } from '@/server/base/tokens';
import { disablePartner, type Partner } from '@/server/partners/partner';
import { requireUserKey } from '@/server/people/access/authenticate';
import { revokeSession } from '@/server/people/keys/revoke';
import { issueSignInToken } from '@/server/people/sign-in-tokens';
import { newDatabase } from '../../harness';
import { inLanes } from '../../harness/in-lanes';
import {
  type AppUser,
  liveKeyIds,
  newAppUser,
  newDevice,
  newPartner,
  recordedEvents,
} from '../../people/identity/app-world';
import { openMailbox, wrongCode } from '../../people/identity/mailbox';

await newDatabase();
const mailbox = await openMailbox();

const ORIGIN = 'https://notes.example.com';
const partner = await newPartner([ORIGIN]);
const pk = partner.publishableKey;

type ApiResponse = { status: number; body: Record<string, unknown>; headers: Headers };
type Route = (request: Request) => Promise<Response>;

async function call(route: Route, body: unknown, headers: Record<string, string> = {}): Promise<ApiResponse> {
  const text = typeof body === 'string' ? body : JSON.stringify(body);
  const response = await route(new Request('http://localhost/', { method: 'POST', body: text, headers }));
  expect(response.headers.get('cache-control')).toBe('no-store');
  expect(response.headers.get('x-request-id')).toMatch(/^req_/);
  return {
    status: response.status,
    body: (await response.json()) as Record<string, unknown>,
    headers: response.headers,
  };
}

const errorOf = ({ body }: ApiResponse): string =>
  (body.error as { type: string } | undefined)?.type ?? 'no error';

/** Sets the given limits and turns the others off, because the tests request many codes. */
function limitCodes(limits: {
  perEmail?: number;
  perAddress?: number;
  perApp?: number;
  resendSeconds?: number;
}): void {
  Object.assign(settings(), {
    LIMIT_CODES_PER_EMAIL_PER_HOUR: limits.perEmail ?? 0,
    LIMIT_CODES_PER_ADDRESS_PER_HOUR: limits.perAddress ?? 0,
    LIMIT_CODES_PER_APP_PER_HOUR: limits.perApp ?? 0,
    LIMIT_CODE_RESEND_SECONDS: limits.resendSeconds ?? 0,
  });
}

beforeEach(() => limitCodes({}));
afterEach(() => setClock());

let userCount = 0;
const newEmail = () => `api-${++userCount}@example.com`;

async function sentCode(email = newEmail(), headers: Record<string, string> = {}) {
  const sent = await call(sendCode, { publishable_key: pk, email }, headers);
  expect(sent.status).toBe(200);
  return { publishable_key: pk, challenge_id: sent.body.challenge_id, email, code: mailbox.lastCode() };
}

describe('POST /v1/auth/send-code', () => {
  it('returns the same response for known and unknown addresses', async () => {
    const { email } = await newAppUser(partner.id);
    for (const address of [email, newEmail()]) {
      const { status, body } = await call(sendCode, { publishable_key: pk, email: address });
      expect(status).toBe(200);
      expect(body).toEqual({
        challenge_id: expect.stringMatching(/^ch_/),
        expires_in: 600,
        resend_in: expect.any(Number),
      });
    }
  });

  it('sends one code to that address only, naming the app and without a link', async () => {
    const before = mailbox.mails.length;
    await sentCode(' Grace.Hopper@EXAMPLE.com ');
    expect(mailbox.mails).toHaveLength(before + 1);
    const { mail, recipients } = mailbox.mails.at(-1) ?? {};
    expect(recipients).toEqual(['Grace.Hopper@example.com']);
    expect(mail?.subject).toMatch(/^\d{6} is your Acme Notes code$/);
    const code = mailbox.lastCode();
    for (const text of [mail?.text, mail?.html]) {
      expect(text).toContain(code);
      expect(text).toContain('Acme Notes');
      expect(text).toContain('We will never ask you for this code');
      expect(text).not.toMatch(/https?:|href/);
    }
  });

  it('writes German for a German locale', async () => {
    await call(sendCode, { publishable_key: pk, email: newEmail(), locale: 'de-AT' });
    expect(mailbox.mails.at(-1)?.mail.subject).toMatch(/^\d{6} ist Ihr Code für Acme Notes$/);
    expect(mailbox.mails.at(-1)?.mail.text).toContain('Wir fragen Sie nie nach diesem Code');
  });

  it.each([
    'ada@example.com\r\nBcc: eve@example.com',
    'ada@example.com, eve@example.com',
    'Ada <ada@example.com>',
    'ada',
    '',
  ])('refuses %j and sends no mail', async (email) => {
    const before = mailbox.mails.length;
    const response = await call(sendCode, { publishable_key: pk, email });
    expect(response.status).toBe(400);
    expect(response.body.error).toMatchObject({ type: 'invalid_request', param: 'email', code: '400' });
    expect(mailbox.mails).toHaveLength(before);
  });

  it('stores the code as a hash only', async () => {
    const { challenge_id, code } = await sentCode();
    const row = await prisma().loginChallenge.findUniqueOrThrow({ where: { id: String(challenge_id) } });
    expect(Buffer.from(row.codeHash).toString('latin1')).not.toContain(code);
    expect(row.codeHash).toHaveLength(32);
  });

  it('returns the same response when the mail cannot be sent', async () => {
    const { SMTP_URL } = settings();
    Object.assign(settings(), { SMTP_URL: 'smtp://127.0.0.1:1' });
    const { status, body } = await call(sendCode, { publishable_key: pk, email: newEmail() });
    Object.assign(settings(), { SMTP_URL });
    expect([status, Object.keys(body)]).toEqual([200, ['challenge_id', 'expires_in', 'resend_in']]);
  });

  it('enforces a wait before the next code', async () => {
    limitCodes({ resendSeconds: 30 });
    const start = now();
    setClock(() => start);
    const email = newEmail();
    await sentCode(email);
    setClock(() => start + 20 * SECOND_MS);
    const tooSoon = await call(sendCode, { publishable_key: pk, email });
    expect([errorOf(tooSoon), tooSoon.headers.get('retry-after')]).toEqual(['rate_limited', '10']);
    setClock(() => start + 30 * SECOND_MS);
    expect((await call(sendCode, { publishable_key: pk, email })).status).toBe(200);
  });

  it('increases the wait for unused codes and reports it; a sign-in resets it', async () => {
    limitCodes({ resendSeconds: 30 });
    let time = now();
    setClock(() => time);
    const email = newEmail();
    for (const wait of [30, 60, 120, 120]) {
      const sent = await call(sendCode, { publishable_key: pk, email });
      expect([sent.status, sent.body.resend_in]).toEqual([200, wait]);
      time += (wait - 1) * SECOND_MS;
      expect(errorOf(await call(sendCode, { publishable_key: pk, email }))).toBe('rate_limited');
      time += SECOND_MS;
    }
    expect((await call(verifyCode, await sentCode(email))).status).toBe(200);
    time += 120 * SECOND_MS;
    expect((await call(sendCode, { publishable_key: pk, email })).status).toBe(200);
  });

  it('limits the codes of a day to twice those of an hour', async () => {
    limitCodes({ perEmail: 2 });
    let time = now();
    setClock(() => time);
    const email = newEmail();
    const statuses = [];
    for (let hour = 0; hour < 24; hour++) {
      statuses.push((await call(sendCode, { publishable_key: pk, email })).status);
      time += 60 * MINUTE_MS;
    }
    expect(statuses.filter((status) => status === 200)).toHaveLength(4);
    expect((await call(sendCode, { publishable_key: pk, email })).status).toBe(200);
  });

  it('limits codes per app and hour', async () => {
    limitCodes({ perApp: 2 });
    const [busy, quiet] = [await newPartner([ORIGIN]), await newPartner([ORIGIN])];
    const statuses = [];
    for (const { publishableKey } of [busy, busy, busy, quiet])
      statuses.push((await call(sendCode, { publishable_key: publishableKey, email: newEmail() })).status);
    expect(statuses).toEqual([200, 200, 429, 200]);
  });

  it('limits codes per e-mail address and hour, even for parallel requests', async () => {
    limitCodes({ perEmail: 3 });
    const start = now();
    setClock(() => start);
    const email = newEmail();
    const responses = await Promise.all(
      Array.from({ length: 10 }, () => call(sendCode, { publishable_key: pk, email })),
    );
    expect(responses.map((response) => response.status).sort()).toEqual([
      200,
      200,
      200,
      ...Array<number>(7).fill(429),
    ]);
    expect(responses.find((response) => response.status === 429)?.headers.get('retry-after')).toBe('3600');
    setClock(() => start + 60 * MINUTE_MS);
    expect((await call(sendCode, { publishable_key: pk, email })).status).toBe(200);
  });

  it('limits codes per client IP, counting each IP separately', async () => {
    limitCodes({ perAddress: 2 });
    const from = (address: string) =>
      call(sendCode, { publishable_key: pk, email: newEmail() }, { 'x-svc-client-address': address });
    const statuses = [];
    for (const address of ['203.0.113.7', '203.0.113.7', '203.0.113.7', '203.0.113.8'])
      statuses.push((await from(address)).status);
    expect(statuses).toEqual([200, 200, 429, 200]);
  });
});

describe('POST /v1/auth/verify-code', () => {
  it('exchanges a correct code for an account, a device and a key', async () => {
    const request = await sentCode();
    const { status, body } = await call(verifyCode, { ...request, metadata: { plan: 'pro' } });
    expect(status).toBe(200);
    expect(body).toEqual({
      user_key: expect.stringMatching(/^svc_sk_/),
      key_id: expect.stringMatching(/^key_/),
      user_id: expect.stringMatching(/^au_/),
      balance: 0,
      currency: 'credits',
      status: 'insufficient_credits',
    });
    const caller = await requireUserKey(
      new Request('http://x/', { headers: { 'x-user-key': String(body.user_key) } }),
    );
    expect(caller).toMatchObject({ keyId: body.key_id, appUserId: body.user_id, partnerId: partner.id });
    const event = (await recordedEvents(partner.id)).find((recorded) => recorded.data.key_id === body.key_id);
    expect(event?.data).toMatchObject({
      user_key: body.user_key,
      user_id: body.user_id,
      metadata: { plan: 'pro' },
    });
  });

  it('returns the same user id for every spelling of an address', async () => {
    const first = await call(verifyCode, await sentCode('Same.Person@example.com'));
    const second = await call(verifyCode, {
      ...(await sentCode('same.person@EXAMPLE.com')),
      email: 'SAME.PERSON@example.com',
    });
    expect(second.body.user_id).toBe(first.body.user_id);
    expect(second.body.key_id).not.toBe(first.body.key_id);
  });

  it('accepts a code with spaces or dashes', async () => {
    const request = await sentCode();
    const spaced = ` ${request.code.slice(0, 3)} - ${request.code.slice(3)} `;
    expect((await call(verifyCode, { ...request, code: spaced })).status).toBe(200);
  });

  it('invalidates the challenge after five wrong codes', async () => {
    const lucky = await sentCode();
    const wrong = { ...lucky, code: wrongCode(lucky.code) };
    for (let n = 0; n < 4; n++) expect(errorOf(await call(verifyCode, wrong))).toBe('invalid_code');
    expect((await call(verifyCode, lucky)).status).toBe(200);

    const burnt = await sentCode();
    for (let n = 0; n < 5; n++) await call(verifyCode, { ...burnt, code: wrongCode(burnt.code) });
    expect(errorOf(await call(verifyCode, burnt))).toBe('invalid_code');
  });

  it('counts wrong codes that arrive in parallel', async () => {
    const request = await sentCode();
    await Promise.all(
      Array.from({ length: 30 }, () => call(verifyCode, { ...request, code: wrongCode(request.code) })),
    );
    const row = await prisma().loginChallenge.findUniqueOrThrow({
      where: { id: String(request.challenge_id) },
    });
    expect(row.attempts).toBe(5);
    expect(errorOf(await call(verifyCode, request))).toBe('invalid_code');
  });

  it('accepts a code for ten minutes', async () => {
    const start = now();
    setClock(() => start);
    const [early, late] = [await sentCode(), await sentCode()];
    setClock(() => start + 10 * MINUTE_MS - 1);
    expect((await call(verifyCode, early)).status).toBe(200);
    setClock(() => start + 10 * MINUTE_MS);
    expect(errorOf(await call(verifyCode, late))).toBe('code_expired');
  });

  it('accepts a code once', async () => {
    const request = await sentCode();
    expect((await call(verifyCode, request)).status).toBe(200);
    expect(errorOf(await call(verifyCode, request))).toBe('invalid_code');
  });

  it('mints one key for 100 parallel verifications of a correct code', async () => {
    const request = await sentCode();
    const responses = await inLanes({ lanes: 30, times: 100 }, () => call(verifyCode, request));
    const winners = responses.filter((response) => response.status === 200);
    expect(winners).toHaveLength(1);
    expect(new Set(responses.filter((response) => response.status !== 200).map(errorOf))).toEqual(
      new Set(['invalid_code']),
    );
    const { userId } = await prisma().userKey.findUniqueOrThrow({
      where: { id: String(winners[0]?.body.key_id) },
    });
    expect(await prisma().userKey.count({ where: { userId } })).toBe(1);
    expect(await prisma().session.count({ where: { userId } })).toBe(1);
  });

  it('allows 60 attempts a minute from one IP', async () => {
    limitCodes({ perAddress: 1_000 });
    const guess = { publishable_key: pk, challenge_id: 'ch_none', email: newEmail(), code: '123456' };
    const from = (address: string) => call(verifyCode, guess, { 'x-svc-client-address': address });
    const outcomes = [];
    for (let i = 0; i < 61; i++) outcomes.push(errorOf(await from('203.0.113.21')));
    expect(outcomes.filter((outcome) => outcome === 'invalid_code')).toHaveLength(60);
    expect(outcomes.at(-1)).toBe('rate_limited');
    expect(errorOf(await from('203.0.113.22'))).toBe('invalid_code');
  });

  it('invalidates the older code when a new one is sent', async () => {
    const email = newEmail();
    const [older, newer] = [await sentCode(email), await sentCode(email)];
    expect(errorOf(await call(verifyCode, older))).toBe('code_expired');
    expect((await call(verifyCode, newer)).status).toBe(200);
  });

  it('rejects a code for another e-mail address, app or origin', async () => {
    const other = await newPartner([ORIGIN]);
    const request = await sentCode(newEmail(), { origin: ORIGIN });
    expect(errorOf(await call(verifyCode, { ...request, email: newEmail() }, { origin: ORIGIN }))).toBe(
      'invalid_code',
    );
    expect(
      errorOf(
        await call(verifyCode, { ...request, publishable_key: other.publishableKey }, { origin: ORIGIN }),
      ),
    ).toBe('invalid_code');
    expect(errorOf(await call(verifyCode, request, { origin: 'http://localhost:5173' }))).toBe(
      'invalid_code',
    );
    expect(errorOf(await call(verifyCode, request))).toBe('invalid_code');
    expect((await call(verifyCode, request, { origin: ORIGIN })).status).toBe(200);
    expect(errorOf(await call(verifyCode, { ...request, challenge_id: 'ch_unknown' }))).toBe('invalid_code');
  });

  it('uses up neither the code nor an attempt when the metadata is refused', async () => {
    const request = await sentCode();
    for (const metadata of [{ a: {} }, 'text', { a: 'x'.repeat(600) }, { a: null }, { a: '\0' }]) {
      const response = await call(verifyCode, { ...request, metadata });
      expect(response.status).toBe(400);
      expect(response.body.error).toMatchObject({
        type: 'invalid_request',
        param: expect.stringMatching(/^metadata/),
      });
    }
    const row = await prisma().loginChallenge.findUniqueOrThrow({
      where: { id: String(request.challenge_id) },
    });
    expect(row.attempts).toBe(0);
    expect((await call(verifyCode, request)).status).toBe(200);
  });

  it.each([
    ['no body', ''],
    ['no JSON', '{'],
    ['a list', '[]'],
    ['missing fields', '{}'],
  ])('returns 400 for %s', async (_, body) => {
    expect(errorOf(await call(verifyCode, body))).toBe('invalid_request');
  });
});

describe('the publishable key and the origin', () => {
  it('an unknown publishable key, a user key or a mistyped key gets 401', async () => {
    const mistyped = pk.slice(0, -1) + (pk.endsWith('a') ? 'b' : 'a');
    for (const publishable_key of [newPublishableKey(), 'svc_sk_x', mistyped, '']) {
      for (const route of [sendCode, verifyCode]) {
        const response = await call(route, {
          publishable_key,
          email: newEmail(),
          challenge_id: 'ch_x',
          code: '123456',
        });
        expect([response.status, errorOf(response)]).toEqual([401, 'invalid_publishable_key']);
      }
    }
  });

  it('the error for a user key names the expected kind and does not repeat the key', async () => {
    const response = await call(sendCode, { publishable_key: 'svc_sk_secret', email: newEmail() });
    const { message } = response.body.error as { message: string };
    expect(message).toContain('svc_pk_');
    expect(JSON.stringify(response.body)).not.toContain('secret');
  });

  it('a disabled app gets 403', async () => {
    const disabled = await newPartner();
    await disablePartner(disabled.id);
    const response = await call(sendCode, { publishable_key: disabled.publishableKey, email: newEmail() });
    expect([response.status, errorOf(response)]).toEqual([403, 'partner_disabled']);
  });

  it('an unregistered origin gets 403 that names it; localhost and servers are accepted', async () => {
    for (const origin of ['https://evil.test', 'null', 'https://notes.example.com.evil.test']) {
      const response = await call(sendCode, { publishable_key: pk, email: newEmail() }, { origin });
      expect([response.status, errorOf(response)]).toEqual([403, 'origin_not_allowed']);
      expect((response.body.error as { message: string }).message).toContain(origin);
      expect(errorOf(await call(verifyCode, await sentCode(), { origin }))).toBe('origin_not_allowed');
    }
    for (const origin of [ORIGIN, 'http://localhost:5173']) {
      expect((await call(sendCode, { publishable_key: pk, email: newEmail() }, { origin })).status).toBe(200);
    }
  });

  it('a preflight needs no key', () => {
    for (const preflight of [preflightVerify, preflightExchange]) {
      const response = preflight(
        new Request('http://localhost/', {
          method: 'OPTIONS',
          headers: { origin: ORIGIN, 'access-control-request-headers': 'x-mine' },
        }),
      );
      expect(response.status).toBe(204);
      expect(response.headers.get('access-control-allow-headers')).toContain('x-mine');
    }
  });
});

describe('POST /auth/token', () => {
  const VERIFIER = 'v'.repeat(43);
  const challengeOf = (verifier: string) => createHash('sha256').update(verifier).digest('base64url');

  type Issued = { user: AppUser; sessionId: string; request: Record<string, unknown> };

  async function issuedToken(of: Partner = partner, origin = ORIGIN): Promise<Issued> {
    const user = await newAppUser(of.id);
    const { sessionId } = await newDevice(user.userId);
    const grant = {
      userId: user.userId,
      partnerId: of.id,
      sessionId,
      origin,
      challenge: challengeOf(VERIFIER),
    };
    const token = await inTransaction((tx) => issueSignInToken(tx, grant));
    expect(token).toMatch(/^svc_st_[0-9A-Za-z]{43}$/);
    return {
      user,
      sessionId,
      request: {
        grant_type: 'signin_token',
        publishable_key: of.publishableKey,
        token,
        code_verifier: VERIFIER,
      },
    };
  }

  it('exchanges a token for a key of the device that signed in', async () => {
    const { user, sessionId, request } = await issuedToken();
    const { status, body } = await call(exchange, { ...request, metadata: { seat: 4 } }, { origin: ORIGIN });
    expect(status).toBe(200);
    expect(body).toEqual({
      user_key: expect.stringMatching(/^svc_sk_/),
      key_id: expect.stringMatching(/^key_/),
      user_id: user.appUserId,
      balance: 0,
      currency: 'credits',
      status: 'insufficient_credits',
      token_type: 'Bearer',
    });
    expect(await liveKeyIds(user)).toEqual([body.key_id]);
    await inTransaction((tx) => revokeSession(tx, sessionId));
    expect(await liveKeyIds(user)).toEqual([]);
  });

  it('accepts a form, with metadata as JSON', async () => {
    const { user, request } = await issuedToken();
    const form = new URLSearchParams({
      ...(request as Record<string, string>),
      metadata: '{"seat":5}',
    }).toString();
    const headers = { origin: ORIGIN, 'content-type': 'application/x-www-form-urlencoded; charset=utf-8' };
    const { status, body } = await call(exchange, form, headers);
    expect([status, body.user_id]).toEqual([200, user.appUserId]);
    const event = (await recordedEvents(partner.id)).find((recorded) => recorded.data.key_id === body.key_id);
    expect(event?.data.metadata).toEqual({ seat: 5 });
  });

  it('accepts JSON that curl sends as a form, as in the guide', async () => {
    const { request } = await issuedToken();
    const headers = { 'content-type': 'application/x-www-form-urlencoded' };
    expect((await call(exchange, request, headers)).status).toBe(200);
  });

  it("accepts an exchange by the app's server, which sends no origin", async () => {
    expect((await call(exchange, (await issuedToken()).request)).status).toBe(200);
  });

  it('returns the same error for every failure, and the token stays valid for its owner', async () => {
    const other = await newPartner([ORIGIN]);
    const disabled = await newPartner([ORIGIN]);
    const start = now();
    setClock(() => start);
    const { request } = await issuedToken();
    const ofDisabled = await issuedToken(disabled);
    await disablePartner(disabled.id);
    const loggedOut = await issuedToken();
    await inTransaction((tx) => revokeSession(tx, loggedOut.sessionId));
    const late = await issuedToken();

    const failures = [
      await call(exchange, { ...request, code_verifier: 'w'.repeat(43) }, { origin: ORIGIN }),
      await call(exchange, { ...request, code_verifier: challengeOf(VERIFIER) }, { origin: ORIGIN }),
      await call(exchange, { ...request, code_verifier: '' }, { origin: ORIGIN }),
      await call(exchange, request, { origin: 'http://localhost:3000' }),
      await call(exchange, request, { origin: 'null' }),
      await call(exchange, { ...request, publishable_key: other.publishableKey }, { origin: ORIGIN }),
      await call(exchange, { ...request, publishable_key: newPublishableKey() }, { origin: ORIGIN }),
      await call(
        exchange,
        { ...request, token: `${String(request.token).slice(0, -1)}-` },
        { origin: ORIGIN },
      ),
      await call(exchange, ofDisabled.request, { origin: ORIGIN }),
      await call(exchange, loggedOut.request, { origin: ORIGIN }),
    ];
    setClock(() => start + 61 * SECOND_MS);
    failures.push(await call(exchange, late.request, { origin: ORIGIN }));
    setClock(() => start + 59 * SECOND_MS);

    for (const failure of failures) {
      expect(failure.status).toBe(400);
      expect(failure.body).toEqual(failures[0]?.body);
      expect(errorOf(failure)).toBe('invalid_grant');
    }
    expect((await call(exchange, request, { origin: ORIGIN })).status).toBe(200);
  });

  it('refuses a second use and revokes the key from the first', async () => {
    const { user, request } = await issuedToken();
    const first = await call(exchange, request, { origin: ORIGIN });
    expect(await liveKeyIds(user)).toEqual([first.body.key_id]);
    // A request without the verifier is not a use, so a leaked token alone does no harm.
    await call(exchange, { ...request, code_verifier: 'w'.repeat(43) }, { origin: ORIGIN });
    expect(await liveKeyIds(user)).toEqual([first.body.key_id]);

    expect(errorOf(await call(exchange, request, { origin: ORIGIN }))).toBe('invalid_grant');
    expect(await liveKeyIds(user)).toEqual([]);
    const revoked = (await recordedEvents(partner.id)).find(
      (event) => event.type === 'user_key.revoked' && event.data.key_id === first.body.key_id,
    );
    expect(revoked?.data.reason).toBe('session_revoked');
  });

  it('mints at most one key in 20 parallel uses, and that key is revoked', async () => {
    const { user, request } = await issuedToken();
    const responses = await Promise.all(
      Array.from({ length: 20 }, () => call(exchange, request, { origin: ORIGIN })),
    );
    expect(responses.filter((response) => response.status === 200)).toHaveLength(1);
    expect(await prisma().userKey.count({ where: { userId: user.userId } })).toBe(1);
    expect(await liveKeyIds(user)).toEqual([]);
  });

  it('does not use up the token when the metadata is refused', async () => {
    const { request } = await issuedToken();
    const refused = await call(exchange, { ...request, metadata: { a: [] } }, { origin: ORIGIN });
    expect(errorOf(refused)).toBe('invalid_request');
    expect((await call(exchange, request, { origin: ORIGIN })).status).toBe(200);
  });

  it('names the missing field of a malformed request', async () => {
    const response = await call(exchange, { grant_type: 'password' }, { origin: ORIGIN });
    expect(response.body.error).toMatchObject({ type: 'invalid_request', param: 'grant_type' });
  });
});
